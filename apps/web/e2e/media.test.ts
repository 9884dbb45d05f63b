import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { makeWav } from '../../server/test/support/sound.ts'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'
import {
  dress,
  findHiddenStops,
  findOverflow,
  findSmallText,
  findUnstyled,
  findViolations,
  settle,
  WIDTHS,
} from './look.ts'

const TITLES = { speech: 'Speech', transcription: 'Transcription' } as const

const MODELS = {
  voice: ['tts'],
  whisper: ['transcript'],
} as const

/** Seconds of the recording of the tests. The mock spreads its five words over it. */
const SECONDS = 5

describeInBrowser('the playground of media', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startBuiltServer({ mock: {} })
    for (const [name, uses] of Object.entries(MODELS)) await server.model(name, {}, { known_usecases: uses })
    await fetch(`${server.url}/models/reload`, { method: 'POST' })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  /** Looks at a page with its result, in both themes and all widths. */
  async function look(page: Page): Promise<readonly string[]> {
    const found = [
      ...(await findViolations(page)),
      ...(await findSmallText(page)),
      ...(await findUnstyled(page)),
      ...(await findHiddenStops(page, '#main')),
    ]
    await dress(page, 390, 'dark')
    found.push(...(await findViolations(page)), ...(await findHiddenStops(page, '#main')))
    for (const width of WIDTHS) {
      await dress(page, width, 'light')
      found.push(...(await findOverflow(page)))
    }
    return found
  }

  async function open(page: Page, kind: keyof typeof TITLES): Promise<void> {
    await page.goto(`/app/playground/${kind}`)
    await settle(page, `Playground: ${TITLES[kind]}`)
  }

  const audioSeconds = (page: Page) =>
    page.waitForFunction(() => {
      const { duration = 0 } = document.querySelector('audio') ?? {}
      return Number.isFinite(duration) && duration > 0 && duration
    })

  it('speaks a text, whole and while it is made', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, 'speech')
    await page.getByLabel('Text', { exact: true }).fill('one two three four')
    await page.getByLabel('Voice').fill('anna')
    await page.getByLabel('Speed').fill('5')
    await page.getByText('Between 0.25 and 4.').waitFor()
    expect(await page.getByRole('button', { name: /^Speak/ }).isDisabled()).toBe(true)
    await page.getByLabel('Speed').fill('1.5')
    await page.keyboard.press('Control+Enter')
    expect(await (await audioSeconds(page)).jsonValue()).toBeCloseTo(0.4, 1)
    const asked = server.records('voice').find(({ rpc, event }) => rpc === 'TTS' && event === 'start')
    expect(asked).toMatchObject({ request: { voice: 'anna', params: { speed: '1.5' } } })
    expect(await look(page)).toEqual([])

    await page.getByLabel('Play while it is made').check()
    await page.getByLabel('Text', { exact: true }).fill('one two three four five six')
    await page.getByRole('button', { name: /^Speak/ }).click()
    await page.waitForFunction(() => (document.querySelector('audio')?.duration ?? 0) > 0.5)
    expect(server.records('voice').some(({ rpc }) => rpc === 'TTSStream')).toBe(true)
    const saved = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    const file = await readFile(await (await saved).path())
    // the streamed file had no length in its head
    expect(file.readUInt32LE(40)).toBe(file.length - 44)
    expect(file.length).toBe(0.6 * 16_000 * 2 + 44)
  })

  it('transcribes a file, follows the player and saves subtitles', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, 'transcription')
    const buffer = makeWav(SECONDS)
    await page.locator('[data-file]').setInputFiles({ name: 'talk.wav', mimeType: 'audio/wav', buffer })
    await page.getByLabel('Language').selectOption('de')
    await page.getByRole('button', { name: /^Transcribe/ }).click()
    await page.locator('[data-word]', { hasText: 'mocked' }).waitFor()
    await audioSeconds(page)
    await page.evaluate((seconds) => {
      const audio = document.querySelector('audio')
      if (audio !== null) audio.currentTime = seconds
    }, SECONDS * 0.7)
    expect(await page.locator('[data-word][data-now]').textContent()).toBe('mocked')
    await page.getByRole('button', { name: 'Go to 0:00' }).click()
    await page.locator('[data-word][data-now]', { hasText: 'This' }).waitFor()
    await page.locator('[data-word]', { hasText: 'transcription' }).click()
    await page.locator('[data-word][data-now]', { hasText: 'transcription' }).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'SRT' }).click()
    const download = await saved
    expect(download.suggestedFilename()).toBe('talk.srt')
    expect(await readFile(await download.path(), 'utf8')).toBe(
      '1\n00:00:00,000 --> 00:00:05,000\nSPEAKER_00: This is a mocked transcription.\n',
    )
    expect(await look(page)).toEqual([])
  })

  it('records the microphone and drops the recording when the page is left', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, 'transcription')
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByText(/^0:0[1-9] of 10:00$/).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await page.getByText('recording.webm', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Transcribe/ }).click()
    await page.locator('[data-word]', { hasText: 'mocked' }).waitFor()
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByRole('button', { name: 'Stop recording' }).waitFor()
    await page.getByRole('link', { name: 'Embeddings' }).click()
    await page.getByRole('button', { name: 'Stop recording' }).waitFor({ state: 'detached' })
  })
})
