export type { Feature, Principal } from '@svc/auth'
