// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, configure, fireEvent, render, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

/** The replies of the server by method and path; a request without one fails the test. */
let replies: Record<string, () => Response>
let sent: { readonly path: string; readonly body: string }[]

const reply = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })

const status = (more: Record<string, unknown> = {}) => ({
  authEnabled: true,
  staticApiKeyRequired: false,
  providers: ['local'],
  hasUsers: true,
  user: null,
  registrationMode: 'approval',
  ...more,
})

configure({ asyncUtilTimeout: 10_000 })

beforeAll(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
})

beforeEach(() => {
  sent = []
  replies = {
    'GET /api/branding': () =>
      reply({ instance_name: 'Lab', instance_tagline: '', logo_url: '/favicon.svg', favicon_url: '/favicon.svg' }),
  }
  vi.stubGlobal('fetch', async (input: Request | string | URL) => {
    const request = input instanceof Request ? input : new Request(input)
    const { pathname } = new URL(request.url)
    sent.push({ path: pathname, body: await request.clone().text() })
    const answer = replies[`${request.method} ${pathname}`]
    if (answer === undefined) throw new Error(`no reply for ${request.method} ${pathname}`)
    return answer()
  })
})

afterEach(async () => {
  cleanup()
  const { queryClient } = await import('../../lib/query-client.ts')
  queryClient.clear()
  vi.unstubAllGlobals()
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
})

async function show(make: (onDone: (path: string) => Promise<void>) => Promise<ReactNode>) {
  const [{ startTestTranslations }, { queryClient }] = await Promise.all([
    import('../../i18n/test-translations.ts'),
    import('../../lib/query-client.ts'),
  ])
  await startTestTranslations()
  const onDone = vi.fn(async (_path: string) => {})
  render(<QueryClientProvider client={queryClient}>{await make(onDone)}</QueryClientProvider>)
  return onDone
}

const showSignIn = (search: { next?: string; error?: string } = {}) =>
  show(async (onDone) => {
    const { SignInPage } = await import('./sign-in-page.tsx')
    return <SignInPage search={search} onDone={onDone} />
  })

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })

describe('the sign-in page', () => {
  it('asks the first one to create the administrator', async () => {
    replies['GET /api/auth/status'] = () => reply(status({ hasUsers: false }))
    await showSignIn()
    expect(await screen.findByRole('heading', { name: 'Create the administrator' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Sign in' })).toBeNull()
  })
  // verifies auth-config:local-auth:form-hidden
  it('has a form where passwords are on', async () => {
    replies['GET /api/auth/status'] = () => reply(status({ providers: ['local', 'oidc'] }))
    await showSignIn()
    expect(await screen.findByLabelText('Password')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Sign in' })).toBeTruthy()
  })
  // verifies auth-config:local-auth:form-hidden
  it('has no form where passwords are off', async () => {
    replies['GET /api/auth/status'] = () => reply(status({ providers: ['oidc'] }))
    await showSignIn()
    const link = await screen.findByRole('link', { name: 'Continue with company sign-in' })
    expect(link.getAttribute('href')).toMatch(/\/api\/auth\/oidc\/login$/)
    expect(screen.queryByLabelText('Password')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Register' })).toBeNull()
  })
  it('has the token alone on a server with shared keys', async () => {
    replies['GET /api/auth/status'] = () =>
      reply(status({ authEnabled: false, staticApiKeyRequired: true, providers: [] }))
    await showSignIn()
    expect(await screen.findByLabelText('Access token')).toBeTruthy()
    expect(screen.queryByLabelText('Email')).toBeNull()
  })
  it('tells what was wrong at a provider', async () => {
    replies['GET /api/auth/status'] = () => reply(status())
    await showSignIn({ error: 'invite_required' })
    expect((await screen.findByRole('alert')).textContent).toContain('need an invite')
  })
  // verifies auth-api:provider:failure-page
  it.each([
    ['sign_in_denied', 'alert', 'was not allowed'],
    ['invalid_state', 'alert', 'Start again'],
    ['provider_unavailable', 'alert', 'does not answer now'],
    ['account_disabled', 'alert', 'is disabled'],
    ['too_many', 'alert', 'Wait a minute'],
    ['another', 'alert', 'did not work'],
    ['account_pending', 'note', 'waits for an admin'],
  ])('has a sentence for %s', async (error, role, text) => {
    replies['GET /api/auth/status'] = () => reply(status({ providers: ['oidc'] }))
    await showSignIn({ error })
    expect((await screen.findByRole(role)).textContent).toContain(text)
    expect(screen.getByRole('link', { name: 'Continue with company sign-in' })).toBeTruthy()
  })
  it.each([
    ['/app/users?q=a', '/app/users?q=a'],
    ['//evil.example/x', '/app'],
    ['https://evil.example/x', '/app'],
    ['/\\evil.example', '/app'],
  ])('goes on from %s to %s', async (next, path) => {
    const user = { id: '1', email: 'a@b.c', name: 'A', avatarUrl: '', role: 'user', provider: 'local', permissions: {} }
    replies['GET /api/auth/status'] = () => reply(status({ user }))
    const onDone = await showSignIn({ next })
    await waitFor(() => expect(onDone).toHaveBeenCalledExactlyOnceWith(path))
  })
  it('counts down after too many attempts', async () => {
    replies['GET /api/auth/status'] = () => reply(status())
    replies['POST /api/auth/login'] = () => reply({ error: 'too many requests' }, 429, { 'retry-after': '30' })
    await showSignIn()
    await screen.findByLabelText('Email')
    type('Email', 'a@site.example')
    type('Password', 'wrong')
    fireEvent.submit(screen.getByRole('button', { name: 'Sign in' }))
    const button = await screen.findByRole('button', { name: /Retry in (30|29) seconds/ })
    expect(button).toHaveProperty('disabled', true)
  })
  it('lets a weak password through once it is confirmed', async () => {
    replies['GET /api/auth/status'] = () => reply(status())
    replies['POST /api/auth/register'] = () =>
      reply({ error: 'password is too weak', error_code: 'password_too_weak', overridable: true }, 400)
    await showSignIn()
    fireEvent.click(await screen.findByRole('button', { name: 'Register' }))
    type('Email', 'a@site.example')
    type('Password', 'password')
    fireEvent.submit(screen.getByRole('button', { name: 'Register' }))
    fireEvent.click(await screen.findByRole('checkbox', { name: /weak password/ }))
    replies['POST /api/auth/register'] = () => reply({ message: 'waits', pending: true })
    fireEvent.submit(screen.getByRole('button', { name: 'Register' }))
    await screen.findByText(/waits for an admin/)
    const bodies = sent.filter(({ path }) => path === '/api/auth/register').map(({ body }) => JSON.parse(body))
    expect(bodies.map((body) => body.acknowledge_weak_password)).toEqual([undefined, true])
  })
})

describe('the invite page', () => {
  const showInvite = () =>
    show(async (onDone) => {
      const { InvitePage } = await import('./invite-page.tsx')
      return <InvitePage code="c0de" onDone={onDone} />
    })
  it('fills the code in and passes it on to providers', async () => {
    replies['GET /api/auth/status'] = () => reply(status({ providers: ['local', 'github'] }))
    replies['GET /api/auth/invite/c0de/check'] = () => reply({ valid: true })
    replies['POST /api/auth/register'] = () => reply({ message: 'waits', pending: true })
    await showInvite()
    const link = await screen.findByRole('link', { name: 'Continue with the code host' })
    expect(link.getAttribute('href')).toMatch(/\?invite_code=c0de$/)
    type('Email', 'a@site.example')
    type('Password', 'a long enough Password 7')
    fireEvent.submit(screen.getByRole('button', { name: 'Register' }))
    await screen.findByText(/waits for an admin/)
    const { body = '' } = sent.find(({ path }) => path === '/api/auth/register') ?? {}
    expect(JSON.parse(body)).toMatchObject({ inviteCode: 'c0de' })
  })
  it('says that a code is of no use, and has no form', async () => {
    replies['GET /api/auth/status'] = () => reply(status())
    replies['GET /api/auth/invite/c0de/check'] = () => reply({ valid: false })
    await showInvite()
    expect((await screen.findByRole('alert')).textContent).toContain('was used')
    expect(screen.queryByLabelText('Email')).toBeNull()
  })
})
