import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'
import { dress, findHiddenStops, findOverflow, findSmallText, findViolations, settle, WIDTHS } from './look.ts'

const PIPELINE = `name: talk
pipeline: { vad: demo-vad, transcription: ear, llm: demo, tts: demo-voice }
`
/** What the mock writes down of any speech. */
const HEARD = 'This is a mocked transcription.'

/** Puts silence around a WAV file, seconds. The speech begins and ends while the microphone is open. */
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
    const headers = { 'content-type': 'application/json' }
    // what is said while models load is not heard
    const loaded = await fetch(`${server.url}/backend/load`, { method: 'POST', headers, body: '{"model":"talk"}' })
    expect(loaded.status).toBe(200)
    const spoken = await fetch(`${server.url}/v1/audio/speech`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        model: 'demo-voice',
        input: 'What is the weather like tomorrow?',
        response_format: 'wav',
      }),
    })
    expect(spoken.status).toBe(200)
    microphone = join(server.folder, 'microphone.wav')
    await writeFile(microphone, surround(Buffer.from(await spoken.arrayBuffer()), { before: 2, after: 20 }))
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

  /** Waits until what was heard is written down and answered, with the times of its stages. */
  async function untilAnswered(page: Page): Promise<void> {
    await captions(page, 'user').filter({ hasText: HEARD }).waitFor()
    await page.locator('[data-role="assistant"][data-caption="done"]').first().waitFor()
    await page.locator('[data-stage="done"]').waitFor()
    const rows = page.locator('[data-stage]')
    const stages = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-stage')))
    expect(stages).toEqual(['transcribed', 'firstText', 'firstSound', 'done'])
  }

  it('answers speech over a WebSocket, then a typed message, and ends', async () => {
    await using view = await openView(server.url, { microphone })
    const { page } = view
    await page.goto('/app/talk')
    await settle(page, 'Talk')
    await page.getByText('Private data is not filtered out of your turns.').waitFor()
    await page.getByRole('button', { name: 'Free talk' }).click()
    await page.getByLabel('Connection').selectOption('websocket')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.locator('[data-transport="websocket"]').waitFor()
    await untilAnswered(page)
    // the answer is heard: its sound reaches the meter
    await page.locator('[data-activity="speaking"]').waitFor()
    expect(await look(page)).toEqual([])
    await page.getByLabel('Message', { exact: true }).fill('And on Sunday?')
    await page.keyboard.press('Enter')
    await page.locator('[data-role="user"]:has-text("Sunday") ~ [data-role="assistant"]').waitFor()
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByText('The conversation has ended.').waitFor()
    expect(await look(page)).toEqual([])
  })

  it('speaks by the Space key over WebRTC, in German', async () => {
    await using view = await openView(server.url, {
      microphone,
      language: 'de',
      width: 390,
      height: 844,
      theme: 'dark',
    })
    const { page } = view
    await page.goto('/app/talk')
    await settle(page, 'Gespräch')
    await page.getByLabel('Verbindung').selectOption('webrtc')
    await page.getByRole('button', { name: 'Beginnen', exact: true }).press('Enter')
    await page.locator('[data-transport="webrtc"]').waitFor()
    await page.getByRole('log').focus()
    await page.keyboard.down('Space')
    await page.getByRole('button', { name: 'Sie sprechen', pressed: true }).waitFor()
    await page.waitForFunction(() => {
      const [level] = document.querySelectorAll<HTMLElement>('[data-level] i')
      return Number(/[\d.]+/.exec(level?.style.transform ?? '')?.[0] ?? 0) > 0.2
    })
    await page.keyboard.up('Space')
    await untilAnswered(page)
    await page.locator('[data-activity="speaking"]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('[data-activity="ready"]').waitFor()
    expect(await look(page)).toEqual([])
    // leaving the page ends the call
    await page.goto('/app/api')
    await settle(page, 'API')
  })
})
