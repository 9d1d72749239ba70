"""Environment variables, as this process has them and as login shells set them."""
