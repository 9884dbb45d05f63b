import * as z from 'zod'

const text = (about: string) => z.string().optional().describe(about)
const period = { period: text('`day`, `week`, `month` or `all`; `month` when it is left out or unknown.') }
const label = {
  group_by: text('`end_user` or `tag:NAME`: sums by their values, in `groups`.'),
  tag: text('`NAME:VALUE`: usage of the requests with a tag.'),
  end_user: text('Usage of the requests with an end user: its name, or the hash that is stored.'),
}
export const ownQuery = z.object(period)
export const ownUsageQuery = z.object({ ...period, ...label })
export const viewQuery = z.object({ ...period, ...label, format: text('`csv` answers with a table.') })
export const adminQuery = z.object({ ...period, user_id: text('Usage of one account.') })
export const adminUsageQuery = adminQuery.extend(label)
export const sourcesQuery = adminQuery.extend({ api_key_id: text('Usage of one key.') })
