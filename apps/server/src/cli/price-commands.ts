import { basename } from 'node:path'
import { createConfigStore } from '../catalog/config-store.ts'
import type { DemoModelSource } from '../catalog/loose-weights.ts'
import type { ServerConfig } from '../config/schema.ts'
import { createPriceBook } from '../spend/open-price-book.ts'
import { describePriceProblem, findPricesFile, readPriceFile } from '../spend/price-file.ts'
import { toPlainPrice } from '../spend/write-price-list.ts'
import { printErrorLine, printJson, printLine } from './terminal.ts'

/** `svc prices check FILE`: names the faults of a price list by their lines. @returns whether there is none */
export async function checkPricesCommand(file: string): Promise<boolean> {
  const found = await readPriceFile(file)
  if (found.state === 'list') {
    const { currency, entries } = found.list
    printLine(`${basename(file)}: ${entries.length} ${entries.length === 1 ? 'price' : 'prices'}, costs in ${currency}`)
    return true
  }
  const problems = found.state === 'absent' ? [{ reason: 'does not exist' }] : found.problems
  for (const problem of problems) printErrorLine(describePriceProblem(basename(file), problem))
  return false
}

/** `svc prices list`: the models of the folder with the price that each has now. @returns whether the list is in order */
export async function listPricesCommand(
  config: ServerConfig,
  { demoModels, json }: { readonly demoModels: readonly DemoModelSource[]; readonly json: boolean },
): Promise<boolean> {
  const path = findPricesFile(config)
  const found = await readPriceFile(path)
  if (found.state === 'wrong') return checkPricesCommand(path)
  const models = createConfigStore({
    folder: config.modelsPath,
    listFile: config.modelsConfigFile,
    demo: { mode: config.demoModel, models: demoModels },
  }).list()
  const book = createPriceBook({ list: () => (found.state === 'list' ? found.list : undefined), models: () => models })
  const rows = models.map((model) => {
    const price = book.findPrice(model, Date.now())
    return {
      model: model.name,
      origin: price?.origin ?? null,
      line: price?.entry?.line ?? null,
      currency: book.currency ?? null,
      price: price === undefined ? null : toPlainPrice(price.price.written),
    }
  })
  if (json) printJson(rows)
  else for (const row of rows) printLine(formatRow(row))
  return true
}

function formatRow({
  model,
  origin,
  line,
  price,
}: {
  readonly model: string
  readonly origin: string | null
  readonly line: number | null
  readonly price: Readonly<Record<string, string>> | null
}): string {
  if (price === null) return `${model}: no price`
  const { model: _, upstream: __, ...parts } = price
  const text = Object.entries(parts).map(([key, value]) => `${key} ${value}`)
  return `${model}: ${text.join(', ')} (${origin === 'model' ? 'its own file' : `line ${line} of the list`})`
}
