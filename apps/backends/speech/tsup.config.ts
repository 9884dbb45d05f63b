import { defineConfig } from 'tsup'
import { program } from '../../../tsup.program.ts'

export default defineConfig(
  // The further entries are the programs of the engines' processes.
  program({ main: 'src/main.ts', 'whisper-process': 'src/engines/whisper/whisper-process.mjs' }),
)
