//! Devices, buffers, queues and launches; knows no compiler: it ships to the board.
