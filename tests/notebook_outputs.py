"""What a notebook keeps of a cell that ends with a widget."""

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output


def outputs_of(widget):
    """The outputs of a cell, each a dict of texts by their MIME type."""
    shell = InteractiveShell.instance()
    try:
        with capture_output() as found:
            shell.display_formatter.format(widget)
        return [output.data for output in found.outputs]
    finally:
        InteractiveShell.clear_instance()
