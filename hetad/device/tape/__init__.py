"""What a kernel overwrites and its reverse sweep needs: kept, restored or worked out again."""
