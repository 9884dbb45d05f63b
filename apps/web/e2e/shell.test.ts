import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { holdFigure, noteFigure } from './figures.ts'
import {
  describeInBrowser,
  openView,
  PASSWORD,
  register,
  signIn,
  startBuiltServer,
  startServerWithAccounts,
  type View,
} from './harness.ts'

describeInBrowser('the frame on a server without sign-in', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startBuiltServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('opens the home page from the root and names it', async () => {
    await using view = await openView(server.url)
    await view.page.goto('/')
    await view.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    expect(new URL(view.page.url()).pathname).toBe('/app')
    expect(await view.page.title()).toBe('Home - svc')
    await view.page.getByText('This server asks for no sign-in').waitFor()
  })

  it('goes to a page by the palette and says when an address leads nowhere', async () => {
    await using view = await openView(server.url)
    await view.page.goto('/app/nowhere')
    await view.page.getByRole('heading', { name: 'No such page', level: 1 }).waitFor()
    await view.page.keyboard.press('Control+k')
    await view.page.getByRole('combobox').fill('home')
    await view.page.keyboard.press('Enter')
    await view.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  })

  it('keeps the theme that was chosen', async () => {
    await using view = await openView(server.url)
    await view.page.goto('/app')
    await view.page.getByRole('button', { name: 'Switch theme' }).click()
    const theme = () => view.page.evaluate(() => document.documentElement.dataset.theme)
    expect(await theme()).toBe('dark')
    await view.page.reload()
    await view.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    expect(await theme()).toBe('dark')
  })

  it('sends nothing from a hidden page, and little from one that is only open', async () => {
    await using view = await openView(server.url)
    await view.page.goto('/app')
    await view.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    // on a busy machine the network rests before the page asks for the last thing that it shows
    await eventually(() => expect(view.requests.join('\n')).toContain('/api/traces/summary'))
    await view.page.waitForLoadState('networkidle')
    const before = view.requests.length
    await view.page.waitForTimeout(20_000)
    // at most 12 a minute, and one that falls on the border
    const idle = view.requests.slice(before).length
    holdFigure({ check: 6, name: 'requests of an idle page in 20 s', value: idle, most: 5 })
    await view.page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
      Object.defineProperty(document, 'hidden', { value: true, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    const hidden = view.requests.length
    await view.page.waitForTimeout(12_000)
    holdFigure({ check: 6, name: 'requests of a hidden page in 12 s', value: view.requests.length - hidden, most: 0 })
  })
})

describeInBrowser('a server that goes away', () => {
  it('is noticed, and the page goes on by itself when it is back', async () => {
    const server = await startBuiltServer()
    await using view = await openView(server.url, { expected: /ERR_CONNECTION|Failed to fetch/ })
    await view.page.goto('/app')
    await view.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await view.page.waitForLoadState('networkidle')
    await server.kill()
    const killed = Date.now()
    await view.page.getByText('The server has not answered since').waitFor()
    noteFigure({
      check: 10,
      name: 'banner after the server is gone',
      value: (Date.now() - killed) / 1000,
      unit: 's',
      most: 5,
    })
    const { port } = new URL(server.url)
    await using again = await startBuiltServer({ folder: server.folder, flags: ['--address', `127.0.0.1:${port}`] })
    await view.page.getByText('The server has not answered since').waitFor({ state: 'hidden' })
    expect(again.url).toBe(server.url)
    await server[Symbol.asyncDispose]()
  })

  it('is told of while the first page still loads, and the page loads again when it is back', async () => {
    const server = await startBuiltServer()
    await using view = await openView(server.url, { expected: /ERR_CONNECTION|Failed to fetch|dynamically imported/ })
    await view.page.goto('/app')
    await view.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await server.kill()
    const told = view.page.getByText(/The server (has not answered since|does not answer)/).first()
    await told.waitFor()
    const { port } = new URL(server.url)
    await using again = await startBuiltServer({ folder: server.folder, flags: ['--address', `127.0.0.1:${port}`] })
    await view.page.getByRole('button', { name: 'Send', exact: true }).waitFor()
    expect(again.url).toBe(server.url)
    await server[Symbol.asyncDispose]()
  })
})

describeInBrowser('the frame on a server with accounts', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startServerWithAccounts()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('leads strangers to the sign-in page and keeps where they wanted to go', async () => {
    await using view = await openView(server.url)
    await view.page.goto('/app/models?view=installed')
    await view.page.waitForURL(/\/login/)
    expect(new URL(view.page.url()).searchParams.get('next')).toContain('/app/models')
    expect(view.requests.filter((path) => path.includes('/api/')).sort()).toEqual([
      'GET /api/auth/status',
      'GET /api/branding',
    ])
  })

  it('shows accounts what they may see', async () => {
    await using view = await openView(server.url)
    await register(view, 'root@site.example')
    await view.page.goto('/app')
    await view.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await view.page.getByRole('button', { name: 'Account: root' }).click()
    await view.page.getByRole('menuitem', { name: 'Sign out' }).click()
    await view.page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await view.page.waitForURL(/\/login/)
    // the page loads once more before the browser is closed
    await view.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  })

  it('leads to the sign-in page when the session is ended while a page is open, and back to the same address', async () => {
    const email = 'ann@site.example'
    await using view = await openView(server.url, { expected: /401/ })
    await register(view, email)
    await signIn(view, email)
    const { page } = view
    const address = '/app/usage?period=week'
    await page.goto(address)
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await endOtherSessions(server, email)
    await page.getByRole('button', { name: '24 hours' }).click()
    await signInAgain(view, email)
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    expect(page.url()).toContain('/app/usage?period=day')

    // the text that was being written is still there
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('half a thought')
    await endOtherSessions(server, email)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await signInAgain(view, email)
    const draft = page.getByRole('textbox', { name: 'Message', exact: true })
    await draft.waitFor()
    expect(await draft.inputValue()).toBe('half a thought')
  })

  it('forgets a viewer who signs out, and the chats on request', async () => {
    await using view = await openView(server.url)
    await register(view, 'keeper@site.example')
    const { page } = view
    const listChats = async () => {
      const databases = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name ?? ''))
      return databases.filter((name) => name.startsWith('svc-chats:'))
    }
    const countDrafts = () =>
      page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('svc-draft:')).length)
    const leave = async (isForgetting: boolean) => {
      await page.getByRole('button', { name: 'Account: keeper' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      const dialog = page.getByRole('dialog', { name: 'Sign out?' })
      if (isForgetting) await dialog.getByRole('checkbox', { name: 'Delete my chats from this browser too' }).check()
      await dialog.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    }
    await page.goto('/app/chat')
    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    await message.fill('a secret plan')
    await expect.poll(countDrafts).toBe(1)
    await leave(false)
    expect(await countDrafts()).toBe(0)
    expect(await listChats()).toHaveLength(1)
    await page.goBack()
    await page.waitForURL(/\/login/)

    await signIn(view, 'keeper@site.example')
    await page.goto('/app/chat')
    await message.waitFor()
    expect(await message.inputValue()).toBe('')
    await leave(true)
    await expect.poll(listChats).toEqual([])
  })
})

/** Ends all sessions of an account from another place. */
async function endOtherSessions({ url }: BuiltServer, email: string): Promise<void> {
  await using elsewhere = await openView(url)
  await signIn(elsewhere, email)
  expect((await elsewhere.context.request.delete('/api/auth/sessions')).ok()).toBe(true)
}

async function signInAgain({ page }: View, email: string): Promise<void> {
  await page.waitForURL(/\/login\?/)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
