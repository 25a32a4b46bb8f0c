// Modules before those that use them. Names are relative to this file:
//   verilator -F starter.f
starter.sv
