import type { Page } from 'playwright-core'

/** Something that opens above or beside a page. */
export interface Overlay {
  /** The file below `src` that draws it. */
  readonly source: string
  /** Opens it, on the page at `address`. */
  readonly open: (page: Page) => Promise<unknown>
  /** The part that opens. @default the dialog, menu or list of choices on the page */
  readonly part?: string
  /** Whether it is beside the page on wide screens, where the focus stays on the page. */
  readonly isBeside?: true
  /** Closes it. @default Esc */
  readonly close?: (page: Page) => Promise<unknown>
}

/** Overlays by the page that they open on. */
export interface OverlayPage {
  readonly address: string
  readonly width?: number
  readonly overlays: readonly Overlay[]
}

const button = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) })
    .first()
    .click()
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true }).click()

/** An overlay that one button opens. */
const behind = (source: string, name: string | RegExp, more: Partial<Overlay> = {}): Overlay => ({
  source,
  open: (page) => button(page, name),
  ...more,
})

/** A menu behind a button, and the parts that its entries open. */
const menu = (source: string, name: string, entries: Readonly<Record<string, string>> = {}): readonly Overlay[] => [
  behind(source, name),
  ...Object.entries(entries).map(([entry, opened]) => ({
    source: opened,
    open: async (page: Page) => {
      await button(page, name)
      await item(page, entry)
    },
  })),
]

const confirm = (name: string) => (page: Page) => page.getByRole('dialog').getByRole('button', { name }).click()

/** A new invite or key, which is shown once. */
const shownOnce = (open: string, make: string, field?: string): Overlay => ({
  source: 'components/ui/shown-once',
  async open(page) {
    await button(page, open)
    if (field !== undefined) await page.getByRole('dialog').getByLabel(field).fill('laptop')
    await confirm(make)(page)
    await page.getByRole('dialog').getByRole('button', { name: 'I have stored it' }).waitFor()
  },
  close: confirm('I have stored it'),
})

/** Everything that opens above a page, for an admin of a server with accounts. */
export const OVERLAY_PAGES: readonly OverlayPage[] = [
  // first, while a download waits for its origin
  {
    address: '/app/activity',
    overlays: [
      behind('app/operations-button', /^Operations: 1/),
      behind('components/operations/operation-buttons', 'Cancel'),
      behind('features/activity/operation-history', 'Clear'),
    ],
  },
  {
    address: '/app/account',
    overlays: [
      { source: 'app/palette', open: (page) => page.keyboard.press('Control+k') },
      { source: 'app/palette', open: (page) => page.keyboard.press('?') },
      behind('app/operations-button', /^Operations/),
      behind('app/account-menu', 'Account: root'),
      {
        source: 'components/ui/sign-out-dialog',
        async open(page) {
          await button(page, 'Account: root')
          await item(page, 'Sign out')
        },
      },
      behind('features/account/account-page', 'Sign out everywhere else'),
    ],
  },
  {
    address: '/app/events',
    overlays: [behind('features/chat/assistant-panel', 'Assistant', { part: 'aside[data-assistant]' })],
  },
  {
    address: '/app/chat/tooled',
    overlays: [behind('features/chat/tools-switch', 'Tools')],
  },
  { address: '/app/events', width: 390, overlays: [behind('components/ui/filter-sheet', /^Filters/)] },
  { address: '/app/usage', width: 390, overlays: [behind('app/shell', 'Open navigation', { part: '[data-drawer]' })] },
  {
    address: '/app/usage?view=prices',
    overlays: [
      behind('features/usage/price-dialog', 'Add price'),
      {
        source: 'features/usage/price-panel',
        async open(page) {
          await button(page, 'Add price')
          const dialog = page.getByRole('dialog')
          await dialog.getByLabel('Model', { exact: true }).fill(`m${Date.now()}`)
          await dialog.getByLabel('Request', { exact: true }).fill('1')
          await confirm('Save')(page)
          await dialog.waitFor({ state: 'hidden' })
          await button(page, 'Remove')
        },
      },
    ],
  },
  {
    address: '/app/account/keys',
    overlays: [
      behind('components/keys/new-key-dialog', 'New API key'),
      shownOnce('New API key', 'Make the key', 'Name'),
      behind('components/keys/edit-key-dialog', 'Edit laptop'),
      behind('components/keys/rotate-key-dialog', 'New value for laptop'),
      behind('components/keys/key-dialogs', /^Revoke laptop/),
    ],
  },
  {
    address: '/app/users',
    overlays: [
      ...menu('features/users/user-table', 'Actions for ann@site.example', {
        'Features, models, quotas': 'features/users/rights-dialog',
        'Set password': 'features/users/user-dialogs',
        'Disable account': 'features/users/user-dialogs',
        'Delete account': 'features/users/user-dialogs',
      }),
    ],
  },
  {
    address: '/app/users/invites',
    overlays: [
      behind('features/users/new-invite-dialog', 'New invite'),
      shownOnce('New invite', 'Make the link'),
      behind('features/users/invites-page', /^Revoke invite/),
    ],
  },
  {
    address: '/app/users/keys',
    overlays: [
      behind('components/keys/new-key-dialog', 'New API key'),
      shownOnce('New API key', 'Make the key', 'Name'),
      behind('components/keys/edit-key-dialog', 'Edit laptop'),
      behind('components/keys/rotate-key-dialog', 'New value for laptop'),
      behind('components/keys/key-dialogs', /^Revoke laptop/),
    ],
  },
  {
    address: '/app/users/limits',
    overlays: [
      behind('features/users/limits/limit-dialog', 'Add limit'),
      {
        source: 'features/users/limits/limits-page',
        async open(page) {
          await button(page, 'Add limit')
          const dialog = page.getByRole('dialog')
          await dialog.getByLabel('Each account').check()
          await dialog.getByLabel('Requests', { exact: true }).fill('100000')
          await confirm('Save')(page)
          await dialog.waitFor({ state: 'hidden' })
          await button(page, 'Remove the limit of Each account')
        },
      },
    ],
  },
  {
    address: '/app/chat/demo',
    overlays: [
      behind('components/chat/model-list', /^(demo )?Model|^demo/),
      {
        source: 'features/chat/settings-drawer',
        part: 'aside[data-open]',
        async open(page) {
          if ((await page.getByRole('article').count()) === 0) {
            await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello')
            await button(page, 'Send')
            await page.getByRole('button', { name: 'Copy answer' }).waitFor()
          }
          await button(page, 'Chat settings')
        },
      },
      ...menu('features/chat/chat-menu', 'Actions of the chat', { Rename: 'features/chat/chat-menu' }),
      ...menu('features/chat/list-menu', 'Actions of all chats', { 'Delete all chats': 'features/chat/list-menu' }),
    ],
  },
  {
    address: '/app/traces',
    overlays: [
      ...menu('features/traces/traces-menu', 'Rows, export and clear', { 'Clear…': 'features/traces/clear-dialog' }),
      behind('components/charts/chart-table', 'Show as table'),
      {
        source: 'features/traces/request-peek',
        part: 'main aside',
        isBeside: true,
        open: (page) => page.locator('tbody tr[data-row] a').first().click(),
      },
    ],
  },
  {
    address: '/app/traces?kind=backend',
    overlays: [
      {
        source: 'features/traces/call-peek',
        part: 'main aside',
        isBeside: true,
        open: (page) => page.locator('tbody tr[data-row] a').first().click(),
      },
    ],
  },
  {
    address: '/app/models?view=installed&model=cedar',
    overlays: [behind('components/operations/remove-dialog', 'Remove')],
  },
  { address: '/app/models?view=explore', overlays: [behind('features/models/add-gallery', 'Add a gallery')] },
  { address: '/app/models?view=unused', overlays: [behind('features/models/unused-view', 'Delete')] },
  { address: '/app/models/demo-ner', overlays: [behind('components/models/copy-model', 'Copy to change it')] },
  {
    address: '/app/models/secrets?section=general',
    overlays: [
      {
        source: 'features/model-editor/save-dialog',
        async open(page) {
          await page.getByLabel('Description', { exact: true }).fill('Finds secrets')
          await button(page, 'Save')
        },
      },
      {
        source: 'features/model-editor/editor',
        open: (page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click(),
      },
      {
        source: 'features/model-editor/conflict-dialog',
        close: confirm('Cancel'),
        async open(page) {
          await page.request.put('/models/toggle-pinned/secrets/pin')
          await button(page, 'Save')
          await confirm('Save')(page)
          await page.getByText('Somebody else has changed this file').waitFor()
        },
      },
    ],
  },
  { address: '/app/backends?view=installed', overlays: [behind('features/backends/external-dialog', 'From an image')] },
  {
    address: '/app/backends?view=installed&backend=mine',
    overlays: [behind('components/operations/remove-dialog', 'Remove')],
  },
  { address: '/app/monitor', overlays: [behind('features/monitor/stop-dialog', /^Stop/)] },
  {
    address: '/app/router/examples?view=corpus',
    overlays: [
      {
        source: 'features/router/corpus-panel',
        async open(page) {
          const all = page.getByRole('button', { name: 'Remove all texts' })
          await page.getByText('The corpus is empty').waitFor()
          if ((await all.count()) === 0) {
            await page.getByLabel('Labelled texts').fill('text,labels\ngood morning,talk\n')
            await button(page, 'Add 1 text')
            await page.getByText('1 text added.').waitFor()
          }
          await all.click()
        },
      },
    ],
  },
  {
    address: '/app/agents',
    overlays: [
      behind('components/agents/name-dialog', 'New agent'),
      ...menu('features/agents/agents-page', 'Actions for scout', { Delete: 'components/agents/delete-dialog' }),
    ],
  },
  {
    address: '/app/agents/tasks',
    overlays: [
      ...menu('features/tasks/tasks-page', 'Actions for Report'),
      behind('features/tasks/run-dialog', 'Run Report'),
    ],
  },
  {
    address: '/app/agents/tasks/new',
    overlays: [
      {
        source: 'components/ui/leave-guard',
        async open(page) {
          await page.getByLabel('Name', { exact: true }).fill('Later')
          await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click()
        },
      },
    ],
  },
  {
    address: '/app/agents/collections/notes',
    overlays: [
      behind('features/collections/entries-view', 'Actions for rivers.txt'),
      {
        source: 'features/collections/entry-dialog',
        async open(page) {
          await page.getByText('Indexed', { exact: true }).waitFor()
          await button(page, 'Actions for rivers.txt')
          await item(page, 'Show the text')
        },
      },
    ],
  },
  { address: '/app/agents/skills', overlays: menu('features/skills/skills-page', 'Actions for make-tea') },
  {
    address: '/app/settings/branding',
    overlays: [
      {
        source: 'components/ui/leave-guard',
        async open(page) {
          await page.getByRole('textbox').nth(1).fill('Our models')
          await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click()
        },
      },
    ],
  },
]

/** Everything that opens above the pages of workers, for an admin of a server with them. @param id the worker `box-1` */
export function listNodeOverlayPages(id: string): readonly OverlayPage[] {
  return [
    {
      address: '/app/nodes',
      overlays: menu('features/nodes/worker-table', 'Actions for box-1', { Remove: 'features/nodes/worker-dialogs' }),
    },
    {
      address: `/app/nodes/node/${id}`,
      overlays: [
        behind('features/nodes/models-card', 'Unload demo'),
        behind('features/nodes/backends-card', 'Delete llama'),
        behind('features/nodes/install-dialog', 'Install a backend'),
      ],
    },
    {
      address: '/app/nodes/scheduling',
      overlays: [
        behind('features/nodes/rules-dialog', 'New rule'),
        ...menu('features/nodes/scheduling-page', 'Actions for other', { Remove: 'features/nodes/scheduling-page' }),
      ],
    },
  ]
}
