"""Texts with secrets, built from parts so that no scanner reports them, and texts without."""

from __future__ import annotations

import base64
import hashlib
import json

WORD = "sword" + "fish"
MIXED = "Hunter2" + "-9"
SHORT = "hunt" + "er2"
RANDOM = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HEX = "3f2a9d8c7b6e5f4a" * 2

TOKENS = {
    "github": "ghp" + "_" + RANDOM[:36],
    "gitlab": "glpat" + "-" + RANDOM[:20],
    "anthropic": "sk-" + "ant-api03-" + RANDOM,
    "openai": "sk-" + "proj-" + RANDOM,
    "google": "AIza" + RANDOM[:35],
    "slack": "xoxb" + "-12345678-87654321-" + RANDOM[:24],
    "stripe": "sk_" + "live_" + RANDOM[:24],
    "npm": "npm" + "_" + RANDOM[:36],
    "pypi": "pypi" + "-" + RANDOM + RANDOM,
    "hugging face": "hf" + "_" + RANDOM[:34],
    "sendgrid": "SG" + "." + RANDOM[:22] + "." + RANDOM + "abc",
    "twilio": "SK" + HEX,
    "aws": "AKIA" + "QWERTY2IOPASDFGH",
    "jwt": "eyJ" + RANDOM + ".eyJ" + RANDOM + "." + RANDOM,
}


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def token_shapes():
    for name, token in TOKENS.items():
        yield f"{name} alone", f"Use {token} there.", token
        yield f"{name} header", f"curl -H 'Authorization: Bearer {token}' https://a.example", token
        yield f"{name} base64", f"data: {encoded(token)}", encoded(token)
        yield f"{name} base64 of a line", f"See {encoded(token + chr(10))}.", encoded(token)[:20]
        half = len(token) - 9
        first, rest = token[:half], token[half:]
        yield f"{name} two lines", f"Use {first}\n{rest}\nthere.", rest
        yield f"{name} backslash", f"export A={first}\\\n{rest}\n", rest
        yield f"{name} literals", f'a = ("{first}"\n     "{rest}")', rest
        yield f"{name} sum", f"a = '{first}' +\n  '{rest}';", rest
        yield f"{name} sum in JSON", json.dumps({"a": f"'{first}' \\\n '{rest}'"}), rest


def label_shapes():
    labels = [
        *("password:", "Password: ", "passwd=", "pwd=", "pwd: ", "PASSWORD=", "DB_PASSWORD="),
        *("Passwort: ", "Kennwort: ", "Kennwort=", "mot de passe : ", "Mot de passe: "),
        *("contrase\u00f1a: ", "Contrase\u00f1a=", "**Password:** ", "password => ", "pass="),
    ]
    for label in labels:
        for secret in (WORD, MIXED, SHORT):
            yield f"{label} {secret}", f"For db1:\n{label}{secret}\nDone.", secret
        yield f"{label} quoted", f"{label}'{WORD}'", WORD


def context_shapes():
    for secret in (WORD, MIXED, "correct-" + "horse-battery"):
        for text in (
            f"machine a.example login me password {secret}",
            f"machine a.example\n  login me\n  password {secret}\n",
            f"<password>{secret}</password>",
            f"<server><username>me</username><password>{secret}</password></server>",
            f'<add key="Password" value="{secret}"/>',
            f'<add key="Db.Password" value="{secret}" />',
            f'<property name="connection.password" value="{secret}"/>',
            f"Server=db1;User Id=sa;Password={secret};Encrypt=true",
            f"Server=db1;Uid=sa;Pwd={secret};",
            f"host=db1 user=me password={secret} dbname=shop",
            f"jdbc:mysql://db1/shop?user=me&password={secret}&ssl=true",
            f"postgres://me:{secret}@db1:5432/shop",
            f"redis://:{secret}@cache1:6379/0",
            f"amqp://me:{secret}@queue1/",
            f"curl -u me:{secret} https://a.example",
            f"curl --user 'me:{secret}' https://a.example",
            f"mysql --password={secret} shop",
            f"| password | {secret} |",
            json.dumps({"user": "me", "password": secret}),
            json.dumps({"a": {"db_password": secret, "n": 1}}),
            f"user: me\npassword: '{secret}'\n",
            f"{{user: 'me', password: '{secret}'}}",
            f"auth: {encoded('me:' + secret)}",
            f"Authorization: Basic {encoded('me:' + secret)}",
            json.dumps({"auths": {"a.example": {"auth": encoded("me:" + secret)}}}),
            f"//a.example/:_auth={encoded('me:' + secret)}",
        ):
            found = secret if secret in text else encoded("me:" + secret)
            yield text[:40], text, found
    yield "base64", f"Login {encoded('admin:' + MIXED)} there", encoded("admin:" + MIXED)
    key = "\\n".join([RANDOM + RANDOM[:24]] * 3)
    yield (
        "key in one line",
        f'"-----BEGIN PRIVATE KEY-----\\n{key}\\n-----END PRIVATE KEY-----\\n"',
        RANDOM,
    )
    yield "Azure", f"AccountName=a;AccountKey={RANDOM * 2}==;EndpointSuffix=b", RANDOM
    yield "AWS", f"aws_secret_access_key = {RANDOM}", RANDOM
    yield "Twilio", f"TWILIO_AUTH_TOKEN={HEX}", HEX


SECRETS = [*token_shapes(), *label_shapes(), *context_shapes()]


def digests():
    for number in range(12):
        sha1 = hashlib.sha1(bytes([number])).hexdigest()
        sha256 = hashlib.sha256(bytes([number])).digest()
        yield f"Fixed in {sha1}."
        yield f"commit {sha1}\nAuthor: Anna\nDate: 2024-01-{number + 10}"
        yield f"{sha256.hex()}  file{number}.tar.gz"
        yield f"    --hash=sha256:{sha256.hex()} \\\n    --hash=sha256:{sha256[::-1].hex()}"
        yield f'"integrity": "sha512-{base64.b64encode(sha256 * 2).decode()}"'
        yield f'checksum = "{sha256.hex()}"'
        yield f"golang.org/x/net v0.{number}.0 h1:{base64.b64encode(sha256).decode()}"
        yield f"id {sha1[:8]}-{sha1[8:12]}-4{sha1[13:16]}-a{sha1[17:20]}-{sha1[20:32]}"
        yield f"data:image/png;base64,iVBORw0KGgo{base64.b64encode(sha256 * 3).decode()}"
        yield f'etag: W/"{sha1[:20]}"\nLast-Modified: {sha1[20:]}'


def object_ids():
    for text in (
        *("010:Repository1296269", "User:12345678", "arrayconnection:10", "Product:3f2a9d8c7b6e"),
        *("https://a.example/page1", "arn:aws:s3:::bucket1", "Issue:PROJ-1234", "Hello, world 12!"),
        *('{"alg":"HS256","typ":"JWT"}', "note: see chapter 12", "date:2024-01-15T12:00:00"),
        "The quick brown fox jumps over 13 dogs",
    ):
        yield f"cursor {encoded(text)} of the page"


PROSE_AND_CODE = """
password = os.environ["DB_PASSWORD"]
password = config.password
password = getpass.getpass()
password=password
password=args.password,
password: string;
password: String!
password: str
password: Optional[str] = None
password: SecretStr
password: userInput,
password: hashedPassword,
password: z.string().min(8)
password = forms.CharField(max_length=50)
const password = process.env.PASSWORD;
if password == expected_password:
self.password = password
def login(user, password):
password: { type: String, required: true }
'password' => 'required|string|min:8'
password: required
password: optional
password: hidden
password=None
passwd = settings.DB_PASSWD
pwd: /home/anna2/project1
PWD=/home/anna2/project1
cd "$(pwd)" && ls
pwd=$(pwd)
export PASSWORD=${PASSWORD:-none}
PASSWORD=<your-password>
password: <your-password>
password: your-password
password: your_password_here
password: changeme
password=********
password: xxxxxxxx
password: {{ db_password }}
Password: [redacted]
token: <token>
api_key: YOUR_API_KEY
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Basic <credentials>
curl -u "$USER:$PASSWORD" https://a.example
curl -u me:<password> https://a.example
curl -u username:password https://a.example
machine a.example login me password <password>
Passwords must have at least 12 characters and 1 digit.
Password policy: at least 12 characters, changed every 90 days.
Passwords: minimum 8 characters.
The password is stored as a bcrypt hash.
The password is required and the login fails without it.
Password: required
Password: encrypted
The password: ask Anna for it.
Das Passwort: bitte im Safe nachsehen.
Das Passwort ist falsch, bitte erneut eingeben.
Kennwort: erforderlich
mot de passe : requis
contrase\u00f1a: requerida
Forgot your password? Reset it on the login page.
Reset password, then login again with version 2 of the client.
<password></password>
<password>${db.password}</password>
<input type="password" name="password" placeholder="Password">
<input name="password" value="">
<label for="password">Password:</label>
<add key="Password" value=""/>
<add key="Password" value="${PASSWORD}"/>
<add key="Timeout" value="30seconds"/>
| Username | Password | Description |
| Password | Purpose |
| password | varchar(255) | the hash |
| password | string | yes |
| token | string | The token of the session |
{"password": "string", "user": "string"}
{"password": "Password", "login": "Log in"}
{"password": "required", "a": 1}
{"type": "password", "name": "login"}
{"auth": "required", "user": 1}
{"auth": {"type": "oauth2"}}
auth: oauth2 and author: Anna
auth: required
basic authentication is disabled
Basic auth: see https://a.example/docs/basic1
Set ghp_ as the prefix\nand add 36 characters1.
The prefix sk-\nis used by version2 of the api
keys start with AKIA\nor ASIA2
Server=db1;Integrated Security=true;Encrypt=true
postgres://db1:5432/shop
https://a.example/login?user=me&next=/home2
password_min_length = 12
password_hash = sha256(value)
password_hasher: argon2id
password: sha256
password_encryption = scram-sha-256
max_tokens: 4096
token_count: 128000
PASS: test_login_2
pass: 12, fail: 0
passed=12345678 failed=0
compass: north1 and bypass: lane2
tokenizer: cl100k_base
secretary: Anna1
key: value1
cache-key: user:1234:profile
publicKey: string
keyboard=qwerty12
version 1.2.3-alpha.4+build.567
""".strip().splitlines()

TABLES = [
    "| Name | Password |\n| --- | --- |\n| Anna | (hidden) |",
    "| Password | Strength |\n|---|---|",
    "password:\n  type: string\n  minLength: 12",
    "password:\n  description: The new one",
]

INNOCENTS = [
    *digests(),
    *object_ids(),
    *(line.replace("\\n", "\n") for line in PROSE_AND_CODE),
    *TABLES,
]
