starter.sv
