/**
 * The text before all operations, in simple Markdown: paragraphs, headings, code. The API page puts
 * its own address in place of `$URL`.
 */
export const introduction = `
Caracal keeps the values of devices and what people want to know about them. This is its HTTP API, version 2.0 with v3beta additions.

## Sign in

Send e-mail and password once. The answer has a token, and every other request shows it.

\`\`\`
curl -X POST -u "$EMAIL:$PASSWORD" $URL/api/v2/auth
curl -H "X-API-Key: $TOKEN" $URL/api/v2/user/me
\`\`\`

If the answer has \`"nextstep": "smslogin"\`, the account needs a second factor: send the code of the text message with \`PUT /api/v2/auth\`, and use the token of that answer. A program uses an API key instead of a sign-in: \`POST /api/v2/user/me/security/token\` makes one.

## Times

All times are Unix times in seconds, in UTC. Times of values have decimals for milliseconds: \`1767225600.25\`. Objects have whole seconds.

## Live values

Values come and go over MQTT, on topics of the form \`<client_id>/obj/...\`. \`client_id\` is in the installation. The user name is any text, the password is the token. Browsers connect to \`/mqtt\` with WebSocket.

\`\`\`
mosquitto_sub -h $HOST -u app -P "$TOKEN" -t '2042/obj/#'
mosquitto_pub -h $HOST -u app -P "$TOKEN" -t 2042/obj/temperature/hall -q 1 -m '{"value": 21.5}'
\`\`\`

A device without MQTT sends values with \`POST /api/v3beta/sample/{installation_id}\`, and Telegraf writes them as it writes to InfluxDB 2.

The status has the latest value of each topic, for the start of an app. The log has all values, and can aggregate them.

## Errors

An error is \`{"message": "..."}\`. The message names each field that is wrong. The search writes \`{"error": "..."}\` for 400 and 503. An installation, organization or user that the caller cannot see is 403, whether it exists or not. After 429 and 503, wait as long as \`Retry-After\` says. A request that failed has changed nothing, except an import and line protocol, which say how much is stored.

## Lists and metadata

Lists of objects take every other parameter as a filter on metadata, with \`*\` as a wildcard: \`?type=temperature&room=hall*\`. In the search such a filter begins with \`metadata.\`. Lists of entries have \`limit\` and \`offset\`.
`.trim()
