package e2e

import "os"

// measuresLatency asks for the latencies that the server promises, on a machine that does nothing else. On any other
// machine, how busy it is decides on the slowest answers.
var measuresLatency = os.Getenv("SVC_TEST_ATTACK_LATENCY") == "1"
