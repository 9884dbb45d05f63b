import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileOrigin, startFileOrigin } from '@svc/test-kit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { noteFigure } from './figures.ts'
import {
  describeInBrowser,
  openView,
  register,
  signIn,
  startBuiltServer,
  startServerWithAccounts,
  type View,
} from './harness.ts'
import { listRoutes } from './list-routes.ts'
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

const VIEWERS = ['admin', 'user', 'anonymous', 'open', 'keys'] as const
type Viewer = (typeof VIEWERS)[number]

/** Result of a viewer's visit to an address: the page, or the page shown instead. */
type Outcome = 'page' | 'sign-in' | 'refused' | 'absent'

const EVERYONE: readonly Viewer[] = VIEWERS
const SIGNED_IN: readonly Viewer[] = ['admin', 'user', 'open', 'keys']
const ADMINS: readonly Viewer[] = ['admin', 'open', 'keys']

interface Row {
  readonly route: string
  /** The address to open, where the route has parameters or leads on. @default the route */
  readonly address?: string
  /** The first part of the document's title. */
  readonly title: string
  /** Viewers who get the page. */
  readonly seenBy: readonly Viewer[]
  /** Viewers who get "No such page"; all other viewers are refused. */
  readonly absentFor?: readonly Viewer[]
}

const accountPage = (route: string, title: string): Row => ({
  route,
  title,
  seenBy: ['admin', 'user'],
  absentFor: ['open', 'keys'],
})

/** Pages of servers with workers, which these are not; `nodes.test.ts` looks at them. */
const NODE_ROUTES = ['/app/nodes', '/app/nodes/node/$id', '/app/nodes/placement', '/app/nodes/scheduling']

const ROWS: readonly Row[] = [
  { route: '/', title: 'Home', seenBy: SIGNED_IN },
  { route: '/browse/$', address: '/browse/usage', title: 'Usage', seenBy: SIGNED_IN },
  { route: '/app', title: 'Home', seenBy: SIGNED_IN },
  { route: '/app/$', address: '/app/nowhere', title: 'No such page', seenBy: [], absentFor: SIGNED_IN },
  { route: '/app/pii', title: 'PII lab', seenBy: SIGNED_IN },
  { route: '/app/talk', title: 'Talk', seenBy: SIGNED_IN },
  { route: '/app/playground', title: 'Playground: Embeddings', seenBy: SIGNED_IN },
  {
    route: '/app/playground/$kind',
    address: '/app/playground/embeddings',
    title: 'Playground: Embeddings',
    seenBy: SIGNED_IN,
  },
  { route: '/app/router', title: 'Router', seenBy: SIGNED_IN },
  { route: '/app/router/$name', address: '/app/router/none', title: 'none', seenBy: SIGNED_IN },
  { route: '/app/intercept', title: 'Intercept', seenBy: ADMINS },
  { route: '/app/agents', title: 'Agents', seenBy: ADMINS },
  { route: '/app/agents/agent/$name', address: '/app/agents/agent/scout', title: 'scout', seenBy: ADMINS },
  { route: '/app/agents/tasks', title: 'Tasks', seenBy: ADMINS },
  { route: '/app/agents/tasks/$id', address: '/app/agents/tasks/new', title: 'New task', seenBy: ADMINS },
  { route: '/app/agents/jobs', title: 'Jobs', seenBy: ADMINS },
  { route: '/app/agents/jobs/$id', address: '/app/agents/jobs/none', title: 'Job', seenBy: ADMINS },
  { route: '/app/agents/collections', title: 'Collections', seenBy: ADMINS },
  {
    route: '/app/agents/collections/$name',
    address: '/app/agents/collections/notes',
    title: 'notes',
    seenBy: ADMINS,
  },
  { route: '/app/agents/skills', title: 'Skills', seenBy: ADMINS },
  { route: '/app/agents/skills/$name', address: '/app/agents/skills/make-tea', title: 'make-tea', seenBy: ADMINS },
  ...NODE_ROUTES.map((route): Row => ({ route, title: 'Nodes', seenBy: [], absentFor: SIGNED_IN })),
  // Servers without peers have no such page.
  { route: '/app/peers', title: 'Peers', seenBy: [], absentFor: SIGNED_IN },
  { route: '/app/chat', title: 'Chat', seenBy: SIGNED_IN },
  { route: '/app/chat/$id', address: '/app/chat/demo', title: 'Chat', seenBy: SIGNED_IN },
  { route: '/app/api', title: 'API', seenBy: SIGNED_IN },
  { route: '/app/usage', title: 'Usage', seenBy: SIGNED_IN },
  accountPage('/app/account', 'Account'),
  accountPage('/app/account/keys', 'API keys'),
  { route: '/app/activity', title: 'Activity', seenBy: ADMINS },
  { route: '/app/backends', title: 'Backends', seenBy: ADMINS },
  { route: '/app/backends/logs/$model', address: '/app/backends/logs/demo', title: 'Log of demo', seenBy: ADMINS },
  { route: '/app/events', title: 'Events', seenBy: ADMINS },
  { route: '/app/models', title: 'Models', seenBy: ADMINS },
  { route: '/app/models/new', title: 'Add a model', seenBy: ADMINS },
  { route: '/app/models/$name', address: '/app/models/secrets', title: 'secrets', seenBy: ADMINS },
  { route: '/app/monitor', title: 'Monitor', seenBy: ADMINS },
  { route: '/app/settings', title: 'Settings', seenBy: ADMINS },
  { route: '/app/settings/$section', address: '/app/settings/branding', title: 'Settings', seenBy: ADMINS },
  { route: '/app/traces', title: 'Traces', seenBy: ADMINS },
  { route: '/app/traces/$id', address: '/app/traces/1', title: 'Traces', seenBy: ADMINS },
  { route: '/app/users', title: 'Users', seenBy: ['admin', 'keys'], absentFor: ['open'] },
  { route: '/app/users/invites', title: 'Invites', seenBy: ['admin', 'keys'], absentFor: ['open'] },
  { route: '/app/users/keys', title: 'Keys', seenBy: ['admin', 'keys'], absentFor: ['open'] },
  { route: '/app/users/limits', title: 'Limits', seenBy: ['admin', 'keys'], absentFor: ['open'] },
  // viewers who are signed in go on to the home page
  { route: '/login', title: 'Home', seenBy: SIGNED_IN },
  { route: '/invite/$code', address: '/invite/none', title: 'Invite', seenBy: EVERYONE },
  { route: '/explorer', title: 'About svc', seenBy: EVERYONE },
]

const TITLES: Readonly<Record<Exclude<Outcome, 'page'>, string>> = {
  'sign-in': 'Sign in',
  refused: 'Not for this account',
  absent: 'No such page',
}

function expectOutcome({ seenBy, absentFor }: Row, viewer: Viewer): Outcome {
  if (seenBy.includes(viewer)) return 'page'
  if (viewer === 'anonymous') return 'sign-in'
  return absentFor?.includes(viewer) === true ? 'absent' : 'refused'
}

/** A fault of a page, by its kind. */
type Finding = readonly [kind: string, text: string]

const name = (kind: string, texts: readonly string[], where?: string): readonly Finding[] =>
  texts.map((text) => [kind, where === undefined ? text : `${where}: ${text}`] as const)

/** A browser that is set to letters of twice the usual size, and windows for them. */
const LARGE = { letterPx: 32, widths: [768, 1280] } as const

/** Kinds of findings by the check that they belong to. */
const KINDS = [
  [4, 'violation', 'violations of WCAG A and AA, two themes and widths,'],
  [4, 'focus', 'places of the focus that nobody sees,'],
  [5, 'scroll', `pages with sideways scroll at ${WIDTHS.join(', ')} px`],
  [9, 'letters', 'texts below 12 px'],
  [10, 'fault', 'requests to others, violations of the policy and errors'],
] as const

const DETECTOR = `name: secrets
backend: pattern
pii_detection: { builtins: [email], default_action: mask }
`

/** One of each thing that agents have, so that their pages are not empty. */
const THINGS_OF_AGENTS = [
  ['/api/agents', { name: 'scout', model: 'demo' }],
  ['/api/agent/tasks', { name: 'Report', model: 'demo', prompt: 'Report on {{.topic}}', cron: '0 9 * * 1' }],
  ['/api/agents/collections', { name: 'notes' }],
  ['/api/agents/skills', { name: 'make-tea', description: 'Makes tea.', content: 'Boil water.' }],
] as const

const GALLERY = `- name: cedar
  description: A model of a gallery.
  license: mit
  tags: [chat]
  files: [{ filename: cedar.gguf, uri: "huggingface://owner/repo/cedar.gguf" }]
  overrides: { backend: llama, known_usecases: [chat], parameters: { model: cedar.gguf } }
`

describeInBrowser('every page', () => {
  let origin: FileOrigin
  const servers: BuiltServer[] = []
  const views = new Map<Viewer, View>()
  /** Pages that were checked closely. A page looks the same to all admins, so it is checked once. */
  const seen = new Set<string>()

  beforeAll(async () => {
    origin = await startFileOrigin({ files: { '/index.yaml': Buffer.from(GALLERY) } })
    const galleries = `--galleries=${JSON.stringify([{ name: 'local', url: `${origin.origin}/index.yaml` }])}`
    const flags = [galleries, '--enable-tracing']
    const key = 'a-shared-key-for-the-tests-of-pages'
    const accounts = await startServerWithAccounts({ flags })
    const open = await startBuiltServer({ flags })
    const keys = await startBuiltServer({ flags: [...flags, '--api-keys', key] })
    servers.push(accounts, open, keys)
    const add = async (viewer: Viewer, { url }: BuiltServer): Promise<View> => {
      const view = await openView(url)
      views.set(viewer, view)
      return view
    }
    await register(await add('admin', accounts), 'root@site.example')
    const user = await add('user', accounts)
    await register(user, 'ann@site.example')
    await signIn(user, 'ann@site.example')
    await add('anonymous', accounts)
    await add('open', open)
    const keyed = await add('keys', keys)
    await keyed.context.request.post('/api/auth/token-login', { data: { token: key } })
    for (const { folder } of servers) {
      await mkdir(join(folder, 'models'), { recursive: true })
      await writeFile(join(folder, 'models/secrets.yaml'), DETECTOR)
    }
    for (const viewer of ['admin', 'open', 'keys'] as const) {
      const { context } = views.get(viewer) as View
      await context.request.post('/models/reload', { data: {} })
      const data = { model: 'demo', max_tokens: 4, messages: [{ role: 'user', content: 'Hello' }] }
      expect((await context.request.post('/v1/chat/completions', { data })).status()).toBe(200)
      for (const [path, thing] of THINGS_OF_AGENTS) {
        expect((await context.request.post(path, { data: thing })).status(), path).toBe(201)
      }
    }
  })

  afterAll(async () => {
    for (const view of views.values()) await view.context.close()
    for (const server of servers) await server[Symbol.asyncDispose]()
    await origin.close()
  })

  it('stands in the table', async () => {
    expect(ROWS.map(({ route }) => route).sort()).toEqual([...new Set(await listRoutes())].sort())
  })

  /** Looks for violations, hidden places of the focus, small letters and sideways scroll, in both themes. */
  async function lookClosely(page: Page, isFirst: boolean): Promise<readonly Finding[]> {
    // the frame has the same places on every page
    const from = isFirst ? 'body' : '#main'
    const found = [
      ...name('violation', await findViolations(page)),
      ...name('letters', await findSmallText(page)),
      ...name('style', await findUnstyled(page)),
      ...name('focus', await findHiddenStops(page, from)),
    ]
    await dress(page, 390, 'dark')
    found.push(...name('violation', await findViolations(page), 'dark, 390 px'))
    found.push(...name('focus', await findHiddenStops(page, from), '390 px'))
    for (const width of WIDTHS) {
      await dress(page, width, 'light')
      found.push(...name('scroll', await findOverflow(page)))
    }
    return found
  }

  it.each(VIEWERS)(
    'opens for %s as the table says, without faults',
    async (viewer) => {
      const { page, faults } = views.get(viewer) as View
      const isAdmin = ADMINS.includes(viewer)
      const found: Finding[] = []
      let looks = 0
      for (const row of ROWS) {
        const outcome = expectOutcome(row, viewer)
        const address = row.address ?? row.route
        const before = faults.length
        await page.goto(address)
        const title = row.route === '/login' && viewer === 'anonymous' ? 'Sign in' : row.title
        try {
          await settle(page, outcome === 'page' ? title : TITLES[outcome])
        } catch (error) {
          found.push(['page', `${address}: ${error instanceof Error ? error.message : String(error)}`])
          continue
        }
        // several addresses lead to one page
        const look = outcome === 'page' ? `${new URL(page.url()).pathname} ${isAdmin ? 'admin' : viewer}` : outcome
        const isNew = !seen.has(look)
        seen.add(look)
        if (isNew) looks += 1
        const wrong = isNew ? await lookClosely(page, seen.size === 1) : name('scroll', await findOverflow(page))
        found.push(
          ...name('fault', faults.slice(before), address),
          ...wrong.map(([kind, text]) => [kind, `${address}: ${text}`] as const),
        )
      }
      for (const [check, kind, about] of KINDS) {
        const value = found.filter(([other]) => other === kind).length
        noteFigure({ check, name: `${about} as ${viewer}, ${looks} pages`, value, most: 0 })
      }
      expect(found).toEqual([])
    },
    300_000,
  )

  it('stays whole with letters of twice the size', async () => {
    await using view = await openView(servers[0]?.url ?? '', LARGE)
    const { page } = view
    await signIn(view, 'root@site.example')
    const found: string[] = []
    for (const { route, address = route, title } of ROWS.filter(({ seenBy }) => seenBy.includes('admin'))) {
      await page.goto(address)
      await settle(page, title)
      const wrong = [...(await findSmallText(page, 24))]
      for (const width of LARGE.widths) {
        await dress(page, width, 'light')
        wrong.push(...(await findOverflow(page)))
      }
      found.push(...wrong.map((text) => `${address}: ${text}`))
    }
    noteFigure({ check: 5, name: 'faults with letters of twice the size', value: found.length, most: 0 })
    expect(found).toEqual([])
  })
})
