`default_nettype none

// Multiplies each value of a stream by 4, and clamps.
//
// Parameters: Width=8 Shift=2
module starter (
  input  logic       clk,
  input  logic       rst_n,
  input  logic       in_valid,
  output logic       in_ready,
  input  logic [7:0] in,
  output logic       out_valid,
  input  logic       out_ready,
  output logic [7:0] out
);

  // An answer is offered.
  logic full_q;
  logic [7:0] answer_q;

  assign in_ready = !full_q || out_ready;
  assign out_valid = full_q;
  assign out = answer_q;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      full_q <= 1'b0;
      answer_q <= 8'd0;
    end else if (in_valid && in_ready) begin
      full_q <= 1'b1;
      answer_q <= |in[7:6] ? 8'd255 : (in << 2);
    end else if (out_ready) begin
      // The answer is gone, and nothing follows it.
      full_q <= 1'b0;
    end
  end

endmodule

`default_nettype wire
