"""The definitions of sub_group_shuffles."""

import importlib.util
import pathlib

_path = pathlib.Path(__file__).resolve().parents[1] / "sub_group_shuffles" / "expect.py"
_spec = importlib.util.spec_from_file_location("sub_group_shuffles", _path)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

POCL, expected = _module.POCL, _module.expected
