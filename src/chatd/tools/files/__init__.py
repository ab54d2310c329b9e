"""The tools for files, in the order in which models are told of them."""

from chatd.tools.files.attach_file import attach_file
from chatd.tools.files.edit_files import edit_files
from chatd.tools.files.find_files import find_files
from chatd.tools.files.read_file import read_file
from chatd.tools.files.search_files import search_files
from chatd.tools.files.write_file import write_file
from chatd.tools.tool import AnyTool


def file_tools() -> tuple[AnyTool, ...]:
    return (read_file, write_file, edit_files, find_files, search_files, attach_file)
