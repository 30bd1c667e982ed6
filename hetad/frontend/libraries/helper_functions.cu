// What helper_functions.h of the CUDA samples brings in.
#include <helper_string.h>
#include <helper_timer.h>
