// Loaded into the server that `pnpm walk` watches: writes the code that has run since the last signal.
import { takeCoverage } from 'node:v8'

process.on('SIGUSR2', () => takeCoverage())
