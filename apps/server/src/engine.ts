import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 forget where objects of the start were placed. Nearly all of them stay alive. V8 concludes that the same
 * code will always make such objects and places later ones among the old ones, where only a full collection frees them:
 * 0.3 KB of each request while the process lives.
 */
export function forgetStart(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
