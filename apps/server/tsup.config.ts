import { cpSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsup'
import { program } from '../../tsup.program.ts'

/** The files of the API page that are ours to serve, with their licence. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']

export default defineConfig({
  ...program({
    main: 'src/main.ts',
    'scan-worker': 'src/pii/scan-worker.mjs',
  }),
  async onSuccess() {
    const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
    const to = fileURLToPath(new URL('dist/swagger-ui/', import.meta.url))
    mkdirSync(to, { recursive: true })
    for (const file of SWAGGER_FILES) cpSync(join(from, file), join(to, file))
  },
})
