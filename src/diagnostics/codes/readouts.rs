//! Codes of readouts and of nodes that nothing reads.

codes! {
    NEVER_USED = 601, "something that is never used in the score";
    READOUT_FORM = 602, "a readout that its mode does not have";
    READOUT_TYPE = 603, "a value that a readout cannot read";
    READOUT_THRESHOLD = 604, "a threshold that is no value of what is read";
    READOUT_MARGIN = 605, "a margin below zero";
    READOUT_TIE = 606, "a tie that nothing known decides";
    READOUT_IDLE = 607, "a threshold or margin that never makes a difference";
    READOUT_FIRST = 608, "a tie that goes to the candidate standing first";
    NO_READOUT = 609, "a program that reads nothing out";
    SECOND_SINK = 610, "unnamed readouts that read different nodes";
    UNKNOWN_MODE = 611, "a mode of readout that does not exist";
    READOUT_TWICE = 612, "two unnamed readouts of one mode";
    READOUT_ARGUMENT = 613, "a readout of something that is not the name of a node";
    READOUT_PARAMETER = 614, "a parameter of a readout that is missing, unknown or of the wrong kind";
}
