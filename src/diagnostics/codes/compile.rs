//! Codes of programs that are written for a task: what the task settles and the program does otherwise.

codes! {
    TASK_MODE = 1201, "the readout that the task asks for is missing";
    TASK_OUTPUT = 1202, "a readout whose values are not those of the task";
    TASK_SINK = 1203, "a sink on another interval than the task's";
    TASK_TIE = 1204, "ties that are decided otherwise than the task says";
    TASK_FIELDS = 1205, "other fields than the task's";
    TASK_NAME = 1206, "another name than the task's";
    TASK_TEST = 1207, "a test of the program that fails";
    TASK_NOTHING = 1208, "a reply without a program";
}
