export { ANONYMOUS_PRINCIPAL, type Feature, type Principal } from '@svc/auth'
