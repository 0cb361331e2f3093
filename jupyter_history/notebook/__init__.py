"""The notebook's side: magics, what a cell shows, what the front end asks."""
