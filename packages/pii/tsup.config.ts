import { defineConfig } from 'tsup'
import { library } from '../../tsup.base.ts'

export default defineConfig(
  library({
    index: 'src/index.ts',
    'ai-sdk': 'src/adapters/ai-sdk.ts',
    audit: 'src/audit.ts',
    catalogue: 'src/catalogue.ts',
    config: 'src/config.ts',
    detectors: 'src/detectors.ts',
    documents: 'src/documents/index.ts',
    encoder: 'src/encoder/index.ts',
    errors: 'src/errors.ts',
    evaluation: 'src/evaluation/index.ts',
    http: 'src/adapters/http.ts',
    langchain: 'src/adapters/langchain.ts',
    names: 'src/names.ts',
    offload: 'src/offload/index.ts',
    operators: 'src/operators/index.ts',
    patterns: 'src/pattern/index.ts',
    pino: 'src/adapters/pino.ts',
    recogniser: 'src/recogniser.ts',
    reversible: 'src/reversible/index.ts',
  }),
)
