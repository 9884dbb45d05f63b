import { defineConfig } from 'tsup'
import { program } from '../../../tsup.program.ts'
import { bundleEngine } from '../onnx/bundle-engine.ts'
import { bundleFlite } from './bundle-flite.ts'

export default defineConfig(
  // The further entries are the programs of the engines' processes and threads.
  program(
    {
      main: 'src/main.ts',
      'whisper-process': 'src/engines/whisper/whisper-process.mjs',
      'sherpa-process': 'src/engines/sherpa/sherpa-process.mjs',
      'silero-process': 'src/engines/silero/silero-process.mjs',
      'flite-worker': 'src/engines/flite/flite-worker.mjs',
    },
    [bundleEngine('../onnx/src/engine/load-binding.ts'), bundleFlite()],
  ),
)
