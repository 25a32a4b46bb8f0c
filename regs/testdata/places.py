"""Prints what the SystemRDL reference compiler makes of a register map."""
import sys

from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegNode

compiler = RDLCompiler()
compiler.compile_file(sys.argv[1])
top = compiler.elaborate().top
for reg in top.children(unroll=False):
    assert isinstance(reg, RegNode)
    count, stride = (reg.array_dimensions[0], reg.array_stride) if reg.is_array else (0, 0)
    print(f"{reg.inst_name} {reg.raw_address_offset:#x} {count} {stride:#x}")
    for field in reg.fields():
        assert isinstance(field, FieldNode)
        reset = field.get_property("reset")
        rights = field.get_property("sw").name
        for prop in ("onread", "onwrite"):
            side = field.get_property(prop)
            rights += f" {side.name}" if side else ""
        line = f"  {field.inst_name} {((1 << field.width) - 1) << field.low:#x} {'none' if reset is None else format(reset, '#x')} {rights}"
        values = field.get_property("encode")
        if values is not None:
            line += "".join(f" {v.name}={v.value}" for v in values)
        print(line)
