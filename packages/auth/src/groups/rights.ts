import type { Group } from '../ports/groups.ts'
import type { ModelAllowList } from '../ports/users.ts'

/** The models of an account: its own list and those of its groups together. Lists that are off say nothing. */
export function resolveModels(own: ModelAllowList, groups: readonly Pick<Group, 'allowedModels'>[]): ModelAllowList {
  const lists = [own, ...groups.map(({ allowedModels }) => allowedModels)].filter(({ enabled }) => enabled)
  return { enabled: lists.length > 0, models: [...new Set(lists.flatMap(({ models }) => models))] }
}
