import { defineConfig } from 'tsup'
import { library } from '../../tsup.base.ts'

export default defineConfig(
  library({
    index: 'src/index.ts',
    config: 'src/config.ts',
    corpus: 'src/corpus/index.ts',
    fit: 'src/fit/index.ts',
    node: 'src/node.ts',
    signals: 'src/signals/index.ts',
    vector: 'src/vector/index.ts',
  }),
)
