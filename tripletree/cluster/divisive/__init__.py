"""DivisiveReCon by its steps: items, statements, tree, flat clusters."""
