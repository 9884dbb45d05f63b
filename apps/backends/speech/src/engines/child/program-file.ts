import path from 'node:path'

/**
 * The file of an engine's program: `whisper/whisper-process.mjs` in the sources, `whisper-process.js` in the build. It
 * needs an entry of that name in `tsup.config.ts`.
 */
export function findProgramFile(source: string): URL {
  if (import.meta.url.endsWith('.ts')) return new URL(`../${source}`, import.meta.url)
  return new URL(`./${path.basename(source, '.mjs')}.js`, import.meta.url)
}
