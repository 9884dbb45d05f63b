import { cpSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsup'
import { base } from '../../tsup.base.ts'

/** The files of the API page that are ours to serve, with their licence. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']

export default defineConfig({
  ...base({ main: 'src/main.ts' }),
  async onSuccess() {
    const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
    const to = fileURLToPath(new URL('dist/swagger-ui/', import.meta.url))
    mkdirSync(to, { recursive: true })
    for (const file of SWAGGER_FILES) cpSync(join(from, file), join(to, file))
  },
})
