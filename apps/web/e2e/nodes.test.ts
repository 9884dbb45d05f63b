import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser, openView, register, type View } from './harness.ts'
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
import { lookAtOverlays } from './look-at-overlays.ts'
import { answerForWorkers, type NodeServer, startNodeServer } from './node-server.ts'
import { listNodeOverlayPages } from './overlays.ts'

const ADDRESS = { q: 'box-1' } as const

/** Looks at the open page: WCAG in both themes, the focus, letters, and sideways scroll at every width. */
async function findFaults(page: Page): Promise<readonly string[]> {
  await dress(page, 1440, 'light')
  const found = [...(await findViolations(page)), ...(await findSmallText(page)), ...(await findUnstyled(page))]
  found.push(...(await findHiddenStops(page, '#main')))
  await dress(page, 390, 'dark')
  found.push(...(await findViolations(page)), ...(await findHiddenStops(page, '#main')))
  for (const width of WIDTHS) {
    await dress(page, width, 'light')
    found.push(...(await findOverflow(page)))
  }
  await dress(page, 1440, 'light')
  return found
}

describeInBrowser('the pages of workers', () => {
  let nodes: NodeServer | undefined
  let view: View
  let first = ''
  beforeAll(async () => {
    nodes = await startNodeServer()
    if (nodes === undefined) return
    first = await nodes.register({ name: 'box-1' })
    await nodes.register({ name: 'box-2', address: '127.0.0.1:26151', http_address: '', total_vram: 0, labels: {} })
    view = await openView(nodes.server.url)
    await register(view, 'root@site.example')
    await answerForWorkers(view.page, { id: first, name: 'box-1' })
  })
  afterAll(async () => {
    await view?.[Symbol.asyncDispose]()
    await nodes?.[Symbol.asyncDispose]()
  })

  it('list workers, approve, drain, resume and remove them', async ({ skip }) => {
    if (nodes === undefined) return skip()
    const { page } = view
    await page.goto('/app/nodes')
    await settle(page, 'Nodes')
    await page.getByText('2 workers wait for your approval').waitFor()
    await page.getByText('owner/large-model').first().waitFor()
    expect(await findFaults(page)).toEqual([])
    const act = async (name: string, action: string, news: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      await page.getByRole('menuitem', { name: action }).click()
      await page.getByRole('dialog').getByRole('button', { name: action }).click()
      await page.getByText(news).first().waitFor()
    }
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await act('box-1', 'Approve', 'box-1 is approved.')
    await row('box-1').getByText('Healthy').waitFor()
    await act('box-1', 'Drain', 'box-1 is draining.')
    await row('box-1').getByText('Draining').waitFor()
    await act('box-1', 'Resume', 'box-1 gets requests again.')
    await row('box-1').getByText('Healthy').waitFor()
    await act('box-2', 'Remove', 'box-2 is removed.')
    await row('box-2').waitFor({ state: 'detached' })
    await page.getByLabel('Search workers').fill('zone=b')
    await page.getByText('Nothing matches.').waitFor()
    await page.getByLabel('Search workers').fill(ADDRESS.q)
    await row('box-1').waitFor()
  })

  it('show a worker and change its labels and limits', async ({ skip }) => {
    if (nodes === undefined) return skip()
    const { page } = view
    await page.goto(`/app/nodes/node/${first}?log=demo`)
    await settle(page, 'box-1')
    await page.getByText('slot 39 is ready').waitFor()
    await page.getByText('It could not be stopped: the worker does not answer').waitFor()
    expect(await findFaults(page)).toEqual([])
    await page.getByLabel('Label', { exact: true }).fill('rack')
    await page.getByLabel('Value', { exact: true }).fill('7')
    await page.keyboard.press('Enter')
    await page.getByText('rack=7').waitFor()
    await page.getByRole('button', { name: 'Remove the label rack' }).click()
    await page.getByText('rack=7').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove the label zone' }).click()
    await page.getByText('The worker gives itself the label zone: it stays.').waitFor()
    await page.getByLabel('Graphics memory for models').fill('nonsense')
    await page.getByRole('button', { name: 'Save Graphics memory for models' }).click()
    await page.getByRole('alert').first().waitFor()
    await page.getByLabel('Graphics memory for models').fill('50%')
    await page.getByRole('button', { name: 'Save Graphics memory for models' }).click()
    await page.getByRole('button', { name: 'Leave it to the worker Graphics memory for models' }).click()
    await page.getByRole('button', { name: /^Leave it to the worker/ }).waitFor({ state: 'detached' })
    await page.getByLabel('Replicas of one model').fill('3')
    await page.keyboard.press('Enter')
    await page.getByText('Set by an administrator.').waitFor()
    await page.getByRole('link', { name: 'Close the log' }).click()
    await page.getByText('slot 39 is ready').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Log demo' }).click()
    await page.getByText('slot 39 is ready').waitFor()
  })

  it('unload models, and install and delete backends of a worker', async ({ skip }) => {
    if (nodes === undefined) return skip()
    const { page } = view
    const sent: unknown[] = []
    await page.route(/\/api\/nodes\/[^/]+\/(models|backends)\/\w+$/, async (route) => {
      sent.push([new URL(route.request().url()).pathname.split('/').slice(4).join(' '), route.request().postDataJSON()])
      await route.fulfill({ status: 202, json: { jobID: 'job-2', statusUrl: '', message: 'done' } })
    })
    await page.goto(`/app/nodes/node/${first}`)
    await page.getByRole('button', { name: 'Unload demo' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unload' }).click()
    await page.getByText('demo is unloaded.').waitFor()
    await page.getByRole('button', { name: 'Upgrade llama' }).click()
    await page.getByText('The upgrade of llama has started.').waitFor()
    await page.getByRole('button', { name: 'Delete llama' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('llama is deleted.').waitFor()
    await page.getByRole('button', { name: 'Install a backend' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('whisper')
    await page.getByRole('dialog').getByLabel('Image').fill('registry.example/whisper:1')
    await page.keyboard.press('Enter')
    await page.getByText('The installation of whisper has started.').waitFor()
    expect(sent).toEqual([
      ['models unload', { model_name: 'demo' }],
      ['backends upgrade', { backend: 'llama' }],
      ['backends delete', { backend: 'llama' }],
      ['backends install', { backend: 'whisper', uri: 'registry.example/whisper:1', name: 'whisper' }],
    ])
  })

  it('set rules, and say why a model runs where', async ({ skip }) => {
    if (nodes === undefined) return skip()
    const { page } = view
    await page.goto('/app/nodes/scheduling')
    await page.getByText('No model has a rule').waitFor()
    await page.getByRole('button', { name: 'New rule' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Model').fill('demo')
    await dialog.getByLabel('Labels of the workers').fill('=b')
    await dialog.getByText('A label needs a name before its equals sign.').waitFor()
    await dialog.getByLabel('Labels of the workers').fill('zone=b')
    await dialog.getByLabel('Fewest replicas').fill('1')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The rule for demo is saved.').waitFor()
    await page.getByText('at least 1').waitFor()
    // the news would be among the places of the focus
    await page.goto('/app/nodes/scheduling')
    await page.getByText('at least 1').waitFor()
    expect(await findFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'demo' }).click()
    await settle(page, 'Placement')
    await page.getByText('No worker fits.').waitFor()
    await page.getByRole('row').filter({ hasText: 'Does not fit' }).getByText('Labels:').waitFor()
    expect(await findFaults(page)).toEqual([])
    await page.goto('/app/nodes/scheduling')
    await page.getByRole('button', { name: 'Actions for demo' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No model has a rule').waitFor()
    await page.goto('/app/nodes/placement?model=demo')
    await page.getByText('It would run on').waitFor()
  })

  it('open their menus and dialogs without violations, and give the focus back', async ({ skip }) => {
    if (nodes === undefined) return skip()
    await view.context.request.post('/api/nodes/scheduling', { data: { model_name: 'other', min_replicas: 1 } })
    const found: string[] = []
    for (const page of listNodeOverlayPages(first)) found.push(...(await lookAtOverlays(view, page)))
    expect(found).toEqual([])
  })

  it('are named where models are shown', async ({ skip }) => {
    if (nodes === undefined) return skip()
    const { page } = view
    await page.goto('/app/models?view=installed&model=demo')
    const places = page.getByRole('region', { name: 'Runs on' })
    await places.getByRole('link', { name: 'box-1' }).waitFor()
    expect(await findFaults(page)).toEqual([])
    await page.goto('/app/monitor')
    await page.getByRole('region', { name: 'On workers' }).getByRole('link', { name: 'box-1' }).first().waitFor()
    expect(await findFaults(page)).toEqual([])
    await page.goto('/app/peers')
    await page.getByText('No other server shares requests with this one.').waitFor()
    expect(await findFaults(page)).toEqual([])
  })
})
