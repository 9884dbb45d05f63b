import { randomBytes } from 'node:crypto'
import { readBase64 } from '../../packages/pii/src/encoded/base64.ts'
import { findEncodedRuns } from '../../packages/pii/src/encoded/encoded-runs.ts'
const t=randomBytes(750000).toString('base64')
const parts:string[]=[];for(let i=0;i<t.length;i+=4000)parts.push(t.slice(i,i+4000))
const time=(n:string,f:()=>unknown)=>{let best=1e9,r;for(let i=0;i<40;i++){const t=performance.now();r=f();best=Math.min(best,performance.now()-t)}console.log(n,best.toFixed(2),'ms',r)}
time('find',()=>{let n=0;for(const p of parts)for(const r of findEncodedRuns(p))if(r)n++;return n})
time('base64',()=>{let n=0;for(const p of parts)for(const x of readBase64(p))n++;return n})
