"""The user's functions as tools, and what goes in and out of them: results, images, values in a prompt, limits."""
