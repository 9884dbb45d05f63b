import { readFile } from 'node:fs/promises'
import { eventually } from '@svc/test-kit'
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

const TITLES = {
  speech: 'Speech',
  transcription: 'Transcription',
  images: 'Images',
  detection: 'Detection',
  video: 'Video',
} as const

const MODELS = {
  voice: ['tts'],
  whisper: ['transcript'],
  painter: ['image', 'video', 'detection'],
} as const

/** Seconds of the recording of the tests. The mock spreads its five words over it. */
const SECONDS = 5

/** A place that the test paints over; the picture is shown in its own size. */
const STROKE = { x: 70, y: 150 } as const

interface WatchedWindow extends Window {
  sentMask?: Blob
}

/** Runs in the page: keeps the mask that it sends. */
function watchMask(): void {
  const { append } = FormData.prototype
  FormData.prototype.append = function (...field: [string, string | Blob, string?]) {
    const [name, value] = field
    if (name === 'mask' && value instanceof Blob) (window as WatchedWindow).sentMask = value
    Reflect.apply(append, this, field)
  }
}

/** Runs in the page: the opacity of the mask at places, 0 to 255. */
async function readMask(places: readonly { readonly x: number; readonly y: number }[]): Promise<number[]> {
  const bitmap = await createImageBitmap((window as WatchedWindow).sentMask ?? new Blob())
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  const brush = canvas.getContext('2d')
  brush?.drawImage(bitmap, 0, 0)
  return places.map(({ x, y }) => brush?.getImageData(x, y, 1, 1).data[3] ?? -1)
}

describeInBrowser('the playground of media', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startBuiltServer({ mock: {} })
    for (const [name, uses] of Object.entries(MODELS)) await server.model(name, {}, { known_usecases: uses })
    await server.model('slow', { rules: [{ rpc: 'GenerateVideo', do: { hang: true } }] }, { known_usecases: ['video'] })
    await server.model('wordless', { without: ['TTS'] }, { known_usecases: ['tts'] })
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

  /** Waits until a model has got a call, or has noted that it ended. */
  const heard = (model: string, rpc: string, event: string) =>
    eventually(() => expect(server.records(model)).toContainEqual(expect.objectContaining({ rpc, event })))

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
    // recordings of browsers have no length in their head
    await audioSeconds(page)
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByRole('button', { name: 'Stop recording' }).waitFor()
    await page.getByRole('link', { name: 'Embeddings' }).click()
    await page.getByRole('button', { name: 'Stop recording' }).waitFor({ state: 'detached' })
  })

  it('makes images, edits one under a drawn mask, enlarges one and removes one', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, 'images')
    await page.getByText('No result yet').waitFor()
    await page.getByLabel('Prompt', { exact: true }).fill('a red boat')
    await page.getByLabel('Size').selectOption('256x256')
    await page.getByLabel('Images', { exact: true }).fill('2')
    await page.keyboard.press('Control+Enter')
    const images = page.getByRole('list', { name: 'Images that were made here' }).getByRole('listitem')
    await images.nth(1).waitFor()
    await page.waitForFunction(() =>
      [...document.querySelectorAll('figure img')].every((image) => (image as HTMLImageElement).naturalWidth === 256),
    )
    const saved = page.waitForEvent('download')
    await images.first().getByRole('link', { name: 'Download' }).click()
    expect((await saved).suggestedFilename()).toMatch(/^image-.*-1\.png$/)

    await images.first().getByRole('button', { name: 'Edit' }).click()
    const redraw = page.getByRole('button', { name: /^Draw the marked part anew/ })
    const canvas = page.locator('canvas')
    await canvas.waitFor()
    expect(await redraw.isDisabled()).toBe(true)
    await canvas.hover({ position: { x: 40, y: STROKE.y } })
    await page.mouse.down()
    await canvas.hover({ position: { x: 90, y: STROKE.y } })
    await page.mouse.up()
    await page.getByText('Mark by numbers').click()
    await page.getByLabel('Height, %').fill('25')
    await page.getByRole('button', { name: 'Mark this part' }).click()
    await page.getByText('2 marks').waitFor()
    expect(await look(page)).toEqual([])
    await dress(page, 1440, 'light')
    await page.evaluate(watchMask)
    await redraw.click()
    await images.nth(3).waitFor()
    const asked = server.records('painter').filter(({ rpc, event }) => rpc === 'GenerateImage' && event === 'start')
    expect(asked.at(-1)).toMatchObject({ request: { width: 256, height: 256, positivePrompt: 'a red boat' } })
    // marked parts are transparent: under the brush, in the area, and nowhere else
    expect(await page.evaluate(readMask, [{ x: 128, y: 20 }, { x: 128, y: 250 }, STROKE])).toEqual([0, 255, 0])

    await images.first().getByRole('button', { name: 'Enlarge' }).click()
    await page.getByRole('button', { name: /^Enlarge the picture/ }).click()
    await page.getByRole('img', { name: 'Enlarged picture' }).waitFor()
    await images.first().getByRole('button', { name: 'Remove from this page' }).click()
    await page.getByRole('img', { name: 'Enlarged picture' }).waitFor({ state: 'detached' })
  })

  it('draws boxes around what a model finds, down to a least confidence', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, 'detection')
    await page
      .locator('[data-file]')
      .setInputFiles({ name: 'not.png', mimeType: 'image/png', buffer: Buffer.from('x') })
    await page.getByRole('alert').waitFor()
    const buffer = await page.locator('header').first().screenshot()
    await page.locator('[data-file]').setInputFiles({ name: 'page.png', mimeType: 'image/png', buffer })
    await page.getByLabel('What to look for').fill('cat')
    await page.getByRole('button', { name: /^Find objects/ }).click()
    await page.getByRole('cell', { name: 'cat' }).waitFor()
    await page.getByText('cat 90%').waitFor()
    expect(await look(page)).toEqual([])
    await page.getByLabel('Least confidence').fill('0.95')
    await page.getByText('Everything that was found has less confidence than this.').waitFor()
    await page.getByRole('button', { name: /^Find objects/ }).click()
    await page.getByText('The model found nothing in this picture.').waitFor()
  })

  it('makes a film, and ends the request when the page is left', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, 'video')
    await page.getByLabel('Prompt', { exact: true }).fill('waves')
    await page.getByLabel('Seconds').fill('1.5')
    await page.keyboard.press('Control+Enter')
    await page.locator('video').waitFor()
    // the film of the mock has no pictures
    await page.getByText('This browser cannot play the film').waitFor()
    const asked = server.records('painter').find(({ rpc, event }) => rpc === 'GenerateVideo' && event === 'start')
    expect(asked).toMatchObject({ request: { numFrames: 36, fps: 24 } })
    expect(await look(page)).toEqual([])

    await page.goto('/app/playground/video?model=slow')
    await page.getByLabel('Prompt', { exact: true }).fill('waves')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Films can take minutes.').waitFor()
    await heard('slow', 'GenerateVideo', 'start')
    await page.getByRole('link', { name: 'Tokenize' }).click()
    await heard('slow', 'GenerateVideo', 'cancel')
  })

  it('shows an error of the server with the way to its trace', async () => {
    await using view = await openView(server.url, { expected: /501/ })
    const { page } = view
    await page.goto('/app/playground/speech?model=wordless')
    await page.getByLabel('Text', { exact: true }).fill('Hello')
    await page.keyboard.press('Control+Enter')
    const alert = page.getByRole('alert')
    await alert.getByRole('button', { name: 'Retry' }).waitFor()
    await alert.getByText('Reference').waitFor()
  })

  it('hears the microphone and reads an answer aloud in a chat', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/chat')
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.fill('Listen:')
    await page.getByRole('button', { name: 'Dictate' }).click()
    await page.getByText(/^0:0[1-9] of 3:00$/).waitFor()
    expect(await findViolations(page)).toEqual([])
    await dress(page, 390, 'light')
    expect(await findOverflow(page)).toEqual([])
    await dress(page, 1440, 'light')
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await page.waitForFunction(
      () => document.querySelector('textarea')?.value === 'Listen: This is a mocked transcription.',
    )
    await page.getByRole('button', { name: 'Send' }).click()
    const article = page.getByRole('article', { name: /^Answer of/ })
    await article.getByRole('button', { name: 'Read aloud' }).click()
    await heard('voice', 'TTS', 'start')
    await article.getByRole('button', { name: 'Read aloud' }).waitFor()
  })
})
