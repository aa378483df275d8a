"""What can be read over HTTP, one module for each subject."""
