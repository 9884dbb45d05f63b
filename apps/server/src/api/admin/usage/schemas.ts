import * as z from 'zod'

const text = (about: string) => z.string().optional().describe(about)
const period = { period: text('`day`, `week`, `month` or `all`; `month` when it is left out or unknown.') }
export const ownQuery = z.object(period)
export const adminQuery = z.object({ ...period, user_id: text('Usage of one account.') })
export const sourcesQuery = adminQuery.extend({ api_key_id: text('Usage of one key.') })
