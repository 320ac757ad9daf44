<?php
// What the program is measured against in PHP: APCu in front, the curl extension behind it.
//
// BENCH_ANSWERS names a folder with the keys, one "city<tab>country" a line, and the answers: json.head,
// json.body, html.head, html.body; the address /fill puts them into APCu. With BENCH_UPSTREAM, what APCu
// doesn't hold is asked for there, rendered and stored.
declare(strict_types=1);

function refuse(int $status): never
{
    http_response_code($status);
    header('Content-Length: 0');
    exit;
}

function fill(string $folder): void
{
    $answers = [];
    foreach (['json', 'html'] as $kind) {
        $fields = explode("\r\n", trim((string) file_get_contents("$folder/$kind.head")));
        $answers[$kind] = [$fields, (string) file_get_contents("$folder/$kind.body"), time()];
    }
    foreach (explode("\n", trim((string) file_get_contents("$folder/keys"))) as $key) {
        foreach ($answers as $kind => $answer) {
            apcu_store("$key\t$kind", $answer);
        }
    }
}

$path = $_SERVER['SCRIPT_NAME'] ?? '';
$name = substr($path, (int) strrpos($path, '/') + 1);
if ($name === 'fill') {
    fill((string) $_SERVER['BENCH_ANSWERS']);
    refuse(200);
}
// Behind fcgiwrap and Apache the script's own name is the path.
$isHTML = $name === 'weather.html';
if (!$isHTML && $name !== 'weather' && $name !== 'weather.cgi') {
    refuse(404);
}
$city = (string) ($_GET['city'] ?? '');
$key = $city . "\t" . ($_GET['country'] ?? '') . "\t" . ($isHTML ? 'html' : 'json');
$found = function_exists('apcu_fetch') ? apcu_fetch($key) : false;
$how = 'hit';
if ($found === false) {
    $upstream = (string) ($_SERVER['BENCH_UPSTREAM'] ?? getenv('BENCH_UPSTREAM'));
    if ($upstream === '' || $isHTML) {
        refuse(404);
    }
    require __DIR__ . '/upstream.php';
    $body = weather($upstream, $city);
    if ($body === null) {
        refuse(502);
    }
    $how = 'fwd=miss';
    $found = [[
        'Content-Type: application/json',
        'Cache-Control: public, max-age=0, must-revalidate',
        'ETag: "' . strtoupper(hash('fnv1a64', $body)) . '"',
        'Content-Language: en',
        'Vary: Accept',
    ], $body, time()];
    if (function_exists('apcu_store')) {
        apcu_store($key, $found);
    }
}
[$fields, $body, $storedAt] = $found;
foreach ($fields as $field) {
    header($field);
}
header('Age: ' . (time() - $storedAt));
header("Cache-Status: responder; $how");
header('Server-Timing: render;dur=0.0');
header('Content-Length: ' . strlen($body));
echo $body;
