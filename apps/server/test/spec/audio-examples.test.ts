import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sniffAudio } from '@svc/audio'
import { expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'
import { makeWav } from '../support/sound.ts'

const PAGE = readFileSync(new URL('../../../../docs/audio.md', import.meta.url), 'utf8')
const EXAMPLES = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
const hasCurl = spawnSync('curl', ['--version']).status === 0

it.skipIf(!hasCurl)('the commands of the page about audio run as printed', async () => {
  expect(EXAMPLES.length).toBeGreaterThan(3)
  await using server = await startTestServer()
  await server.model('whisper', {}, { known_usecases: ['transcript', 'vad', 'diarization', 'sound_classification'] })
  await server.model('voice', {}, { known_usecases: ['tts', 'sound_generation'] })
  await writeFile(join(server.folder, 'talk.wav'), makeWav(1))
  for (const example of EXAMPLES) {
    const script = example
      .replaceAll('http://localhost:8080', server.url)
      .replaceAll(/^curl /gm, 'curl -sS --fail-with-body ')
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script], { cwd: server.folder })
    const files = [...example.matchAll(/ -o (\S+)/g)].map(([, name = '']) => name)
    expect(stdout.length + files.length).toBeGreaterThan(0)
    for (const name of files) {
      const made = sniffAudio(await readFile(join(server.folder, name)))
      expect([name, made?.container]).toEqual([name, name.split('.').at(-1)])
    }
  }
})
