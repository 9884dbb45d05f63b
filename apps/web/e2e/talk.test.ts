import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { describeInBrowser, openView, startBuiltServer, type View } from './harness.ts'
import { dress, findHiddenStops, findOverflow, findSmallText, findViolations, settle, WIDTHS } from './look.ts'

const PIPELINE = `name: talk
pipeline: { vad: demo-vad, transcription: ear, llm: demo, tts: demo-voice }
`
/** What the mock writes down of any speech. */
const HEARD = 'This is a mocked transcription.'

/** Puts silence around a WAV file, so that the speech begins and ends while the microphone is open. */
function surround(wav: Buffer, { before, after }: { readonly before: number; readonly after: number }): Buffer {
  const start = wav.indexOf('data', 12, 'latin1') + 8
  const bytesPerSecond = wav.readUInt32LE(28)
  const sound = wav.subarray(start)
  const head = Buffer.from(wav.subarray(0, start))
  const body = Buffer.concat([Buffer.alloc(before * bytesPerSecond), sound, Buffer.alloc(after * bytesPerSecond)])
  head.writeUInt32LE(start - 8 + body.length, 4)
  head.writeUInt32LE(body.length, start - 4)
  return Buffer.concat([head, body])
}

describeInBrowser('talk', () => {
  let server: BuiltServer
  let microphone = ''

  beforeAll(async () => {
    server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true' }, mock: {} })
    await mkdir(join(server.folder, 'models'), { recursive: true })
    await server.model('ear', {}, { known_usecases: ['transcript'] })
    await writeFile(join(server.folder, 'models/talk.yaml'), PIPELINE)
    await fetch(`${server.url}/models/reload`, { method: 'POST' })
    const spoken = await fetch(`${server.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'demo-voice',
        input: 'What is the weather like tomorrow?',
        response_format: 'wav',
      }),
    })
    expect(spoken.status).toBe(200)
    microphone = join(server.folder, 'microphone.wav')
    await writeFile(microphone, surround(Buffer.from(await spoken.arrayBuffer()), { before: 1, after: 4 }))
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
  })

  async function look(page: Page): Promise<readonly string[]> {
    const found = [...(await findViolations(page)), ...(await findSmallText(page))]
    await dress(page, 390, 'dark')
    found.push(...(await findViolations(page)), ...(await findHiddenStops(page, '#main')))
    for (const width of WIDTHS) {
      await dress(page, width, 'light')
      found.push(...(await findOverflow(page)))
    }
    return found
  }

  const captions = (page: Page, role: string) => page.locator(`[data-role="${role}"]`)

  /** Starts a conversation, and waits until what the microphone said is answered. */
  async function talk({ page }: View, transport: 'webrtc' | 'websocket'): Promise<void> {
    await page.goto('/app/talk')
    await settle(page, 'Talk')
    await page.getByRole('button', { name: 'Free talk' }).click()
    await page.getByLabel('Connection').selectOption(transport)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.locator(`[data-transport="${transport}"]`).waitFor()
    await captions(page, 'user').filter({ hasText: HEARD }).waitFor()
    await page.locator('[data-role="assistant"][data-caption="done"]').first().waitFor()
    await page.locator('[data-stage="done"]').waitFor()
    const stages = await page
      .locator('[data-stage]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-stage')))
    expect(stages).toEqual(['transcribed', 'firstText', 'firstSound', 'done'])
  }

  it('answers speech over a WebSocket, then a typed message, and ends', async () => {
    await using view = await openView(server.url, { microphone })
    const { page } = view
    await talk(view, 'websocket')
    expect(await look(page)).toEqual([])
    await page.getByLabel('Message', { exact: true }).fill('And on Sunday?')
    await page.keyboard.press('Enter')
    await captions(page, 'user').filter({ hasText: 'And on Sunday?' }).waitFor()
    await page.locator('[data-role="user"]:has-text("Sunday") ~ [data-role="assistant"][data-caption="done"]').waitFor()
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByText('The conversation has ended.').waitFor()
    expect(await look(page)).toEqual([])
  })
})
