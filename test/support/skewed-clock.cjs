// Loaded before a program: its wall clock is wrong by LOCKSTEP_TEST_SKEW hours, and jumps back and forth by as much.
const { now } = Date;
const hours = Number(process.env.LOCKSTEP_TEST_SKEW);
let calls = 0;
Date.now = () => now() + (calls++ % 3 === 0 ? -hours : hours) * 3_600_000;
