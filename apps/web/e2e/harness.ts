import { findTestBrowser, patienceMs } from '@svc/test-kit'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, describe } from 'vitest'
import { type BuiltServer, type BuiltServerOptions, startBuiltServer } from '../../server/test/support/built-server.ts'

const executablePath = findTestBrowser()

/** `describe` for tests that need a browser. Without a browser they are left out, with one line that says so. */
export function describeInBrowser(name: string, body: () => void): void {
  describe.skipIf(executablePath === undefined)(name, body)
}

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-dev-shm-usage',
  // names of hosts elsewhere, which tests serve on this machine
  '--host-resolver-rules=MAP *.test 127.0.0.1',
  // a microphone that beeps, without a question to the viewer
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
]

/** Browsers by what they are started with. All tests of a worker share them; each has its own contexts. */
const browsers = new Map<string, Promise<Browser>>()

function openBrowser({ letterPx = 16, microphone }: Pick<ViewOptions, 'letterPx' | 'microphone'>): Promise<Browser> {
  const own = [
    `--blink-settings=defaultFontSize=${letterPx}`,
    ...(microphone === undefined ? [] : [`--use-file-for-fake-audio-capture=${microphone}`]),
  ]
  const key = own.join(' ')
  const browser =
    browsers.get(key) ?? chromium.launch({ executablePath: executablePath ?? '', args: [...ARGS, ...own] })
  browsers.set(key, browser)
  return browser
}

afterAll(async () => {
  for (const browser of browsers.values()) await (await browser).close()
  browsers.clear()
})

/** Options of {@link openView}. */
export interface ViewOptions {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
  readonly language?: string
  /** The size of letters that the browser is set to. @default 16, as browsers come */
  readonly letterPx?: number
  /** A WAV file that the microphone plays again and again, from its beginning each time that it is opened. @default beeps */
  readonly microphone?: string
  /** Failures that the test provokes: matching lines of the console are not faults. */
  readonly expected?: RegExp
}

/** A page of the interface that notes everything it must not do. */
export interface View extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** Requests so far, by path. */
  readonly requests: readonly string[]
  /** Violations so far: requests to other origins, violations of the policy header, errors of scripts. */
  readonly faults: readonly string[]
}

/**
 * Opens an empty page on a server. Closing it fails the test when the page sent a request to another origin, violated
 * the policy header or threw an error.
 */
export async function openView(url: string, options: ViewOptions = {}): Promise<View> {
  const { width = 1440, height = 900, theme = 'light', language = 'en', expected } = options
  const browser = await openBrowser(options)
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    colorScheme: theme,
    locale: language,
    reducedMotion: 'reduce',
  })
  const requests: string[] = []
  const faults: string[] = []
  context.setDefaultTimeout(patienceMs())
  const page = await context.newPage()
  const origin = new URL(url).origin
  page.on('request', (request) => {
    const target = new URL(request.url())
    if (!/^(https?|wss?):$/.test(target.protocol)) return
    requests.push(`${request.method()} ${target.pathname}${target.search}`)
    if (target.origin.replace(/^ws/, 'http') !== origin) faults.push(`a request to ${target.href}`)
  })
  page.on('pageerror', (error) => faults.push(`an error: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() !== 'error' || expected?.test(text)) return
    // the browser reports replies that are failures; the tests look at the page's reaction
    if (/^Failed to load resource/.test(text)) return
    faults.push(`the console: ${text}`)
  })
  return {
    page,
    context,
    requests,
    faults,
    async [Symbol.asyncDispose]() {
      await context.close()
      const serious = faults.filter((fault) => expected?.test(fault) !== true)
      if (serious.length > 0) throw new Error(`the page did what it must not do:\n${serious.join('\n')}`)
    },
  }
}

/** The password of every account of the tests. */
export const PASSWORD = 'a long enough passphrase 42'

/** Starts the built server with accounts; the first account is the admin. */
export function startServerWithAccounts(options: BuiltServerOptions = {}): Promise<BuiltServer> {
  return startBuiltServer({
    ...options,
    flags: ['--auth-enabled', '--auth-rate-limit', '0', '--auth-registration-mode', 'open', ...(options.flags ?? [])],
  })
}

/** Registers an account through the server and signs the context's browser in with it. */
export async function register({ context }: View, email: string): Promise<void> {
  const data = { email, name: email.split('@')[0], password: PASSWORD }
  const reply = await context.request.post('/api/auth/register', { data })
  if (!reply.ok()) throw new Error(`registration: ${reply.status()} ${await reply.text()}`)
}

/** Signs the context's browser in with an account that is there. */
export async function signIn({ context }: View, email: string): Promise<void> {
  const reply = await context.request.post('/api/auth/login', { data: { email, password: PASSWORD } })
  if (!reply.ok()) throw new Error(`sign-in: ${reply.status()} ${await reply.text()}`)
}

export { startBuiltServer }
