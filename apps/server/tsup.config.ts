import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, defineConfig } from 'tsup'
import { collectDependencyLicences } from '../../scripts/bundle-licences.ts'
import { program } from '../../tsup.program.ts'
import { packWeb } from './src/api/web/pack-web.ts'

/** The files of the API page that are ours to serve, with their licence. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']

/** Packages that build the web interface and leave nothing in it. */
const WEB_TOOLS = /^(?:vite|@vitejs\/.*|tailwindcss|@tailwindcss\/.*)$/

const inFolder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Copies the files of the API page. */
function copySwagger(): void {
  const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const to = inFolder('dist/swagger-ui/')
  mkdirSync(to, { recursive: true })
  for (const file of SWAGGER_FILES) cpSync(join(from, file), join(to, file))
}

/** Packs the built web interface, with the licences of what is in it. A server without it has a plain page in its place. */
async function takeWebInterface(): Promise<void> {
  const web = inFolder('../web/')
  const from = join(web, 'dist')
  if (!existsSync(join(from, 'index.html'))) return
  const to = inFolder('dist/web/')
  await packWeb({ from, to })
  writeFileSync(join(to, 'THIRD-PARTY-LICENSES.txt'), collectDependencyLicences(web, { leftOut: WEB_TOOLS }))
}

/** The process that reads documents: a bundle of its own, so that it loads nothing of the server. */
async function buildDocumentReader(): Promise<void> {
  const entry = { 'document-reader': 'src/document-stores/reader/document-reader.mjs' }
  await build({
    ...program(entry),
    outDir: 'dist/document-reader',
    minify: true,
    sourcemap: false,
    config: false,
    silent: true,
  })
}

export default defineConfig({
  ...program({
    main: 'src/main.ts',
    'scan-worker': 'src/pii/scan-worker.mjs',
    'index-worker': 'src/galleries/index-worker.mjs',
  }),
  async onSuccess() {
    await buildDocumentReader()
    copySwagger()
    await takeWebInterface()
  },
})
