"""What the program overwrites and the reverse sweep needs: kept, in the fewest bytes, and put back."""
