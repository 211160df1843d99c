import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutExtraSlashes } from '../../src/lib/url-path.ts'

const rows: [string, string][] = [
  ['/', '/'],
  ['//', '/'],
  ['', ''],
  ['//api/v2/ping', '/api/v2/ping'],
  ['/api/v2/ping/', '/api/v2/ping/'],
  ['/api///v2//ping//?a=b//c/', '/api/v2/ping/?a=b//c/'],
  ['/x?y=/meta//z', '/x?y=/meta//z'],
  ['/x/1/meta/k', '/x/1/meta/k'],
  ['//x//1//meta/a//b', '/x/1/meta/a%2F%2Fb'],
  ['/x/1/meta/a/', '/x/1/meta/a%2F'],
  ['/x/1/meta//a', '/x/1/meta/%2Fa'],
  ['/x/1/meta/http://y/meta//z?silent=1', '/x/1/meta/http:%2F%2Fy%2Fmeta%2F%2Fz?silent=1'],
  ['/x/1/meta/', '/x/1/meta/'],
  ['/x/1/meta', '/x/1/meta']
]
for (const [url, meant] of rows) {
  test(`${url} is ${meant}`, () => assert.equal(withoutExtraSlashes(url), meant))
}
