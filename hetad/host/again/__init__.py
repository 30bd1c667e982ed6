"""Programs that are derivatives themselves, on their way to a derivative of their own."""
