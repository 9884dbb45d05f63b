import { defineRequirements } from '../requirement.ts'

/** §9: versions, prefixes and compatibility with older clients. */
export const VERSIONING = defineRequirements([
  {
    id: 'versioning:format:version-and-commit',
    section: '9',
    behavior: 'The version is shown as `<version> (<commit>)`.',
    state: 'built',
  },
  {
    id: 'versioning:prefix:v1',
    section: '9',
    behavior: 'Paths of the compatible format start with `/v1`.',
    state: 'built',
  },
  {
    id: 'versioning:prefix:backend-routes',
    section: '9',
    behavior: 'The monitor and load routes exist with and without `/v1`.',
    state: 'built',
  },
  {
    id: 'versioning:bookmarks:redirected',
    section: '9',
    behavior:
      'Old bookmarks of `/app/manage` lead to the matching page of installed models or backends, in place of the history entry.',
    state: 'built',
  },
  {
    id: 'versioning:bookmarks:flags-kept',
    section: '9',
    behavior: 'The redirect keeps search, filter, selection, variant and development flags.',
    state: 'built',
  },
  {
    id: 'versioning:backfill:across-upgrades',
    section: '9',
    behavior: 'Filling in the source of usage rows is safe in every upgrade.',
    state: 'built',
  },
  {
    id: 'versioning:legacy-pii:ignored',
    section: '9',
    behavior: 'Filter keys of the former pattern tier are accepted in a model file and have no effect.',
    state: 'built',
  },
  {
    id: 'versioning:legacy-pii:warned',
    section: '9',
    behavior: 'The server warns at start of filter keys of the former pattern tier.',
    state: 'built',
  },
])
