import { eventually, startFileOrigin } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { hubPath, mockEntry, WEIGHTS } from '../support/gallery-world.ts'
import { startTestServer } from '../support/server.ts'

describe('models named at the start', () => {
  it('are installed where they are missing, and loaded; one that cannot be had stops none', async () => {
    await using origin = await startFileOrigin({
      files: { '/index.yaml': Buffer.from(stringify([mockEntry('one')])), [hubPath('one.bin')]: WEIGHTS },
    })
    await using server = await startTestServer({
      flags: [
        `--galleries=${JSON.stringify([{ name: 'test', url: `${origin.origin}/index.yaml` }])}`,
        '--models=none,test@one',
      ],
      env: { HF_ENDPOINT: origin.origin },
    })
    await eventually(async () => {
      const { loaded_models: loaded } = (await server.call('/system')).json() as { loaded_models: { id: string }[] }
      expect(loaded.map(({ id }) => id)).toEqual(['one'])
    })
    expect(server.logLines.join('')).toContain('no model found with name')
  })
})
