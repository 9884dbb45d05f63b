import { defineConfig } from 'tsup'
import { library } from '../../tsup.base.ts'

export default defineConfig(
  library({
    index: 'src/index.ts',
    elevenlabs: 'src/elevenlabs/index.ts',
    messages: 'src/messages/index.ts',
    native: 'src/native/index.ts',
    ndjson: 'src/ndjson/index.ts',
    ollama: 'src/ollama/index.ts',
    openai: 'src/openai/index.ts',
    'parse-body': 'src/parse-body.ts',
    realtime: 'src/realtime/index.ts',
    responses: 'src/responses/index.ts',
    sse: 'src/sse/index.ts',
    stages: 'src/stages/index.ts',
  }),
)
